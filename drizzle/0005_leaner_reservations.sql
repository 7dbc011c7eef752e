-- Does what `reserve_limits` does, which stays for processes of the version before, in fewer and smaller statements.
-- Records what ended requests used and cost, with their rows of the usage ledger, then makes reservations in the order given, each in all
-- of its scopes or in none. Returns for each reservation the usage of every scope before it, why it is refused, and the dollars that are
-- reserved; and what the settled scopes have spent.
CREATE FUNCTION "settle_and_reserve"(settlements jsonb, reservations jsonb, moment timestamp with time zone, lease interval) RETURNS jsonb LANGUAGE plpgsql
  -- One plan, whatever the statistics of tables that change with every request say: a few rows by key. Planning would take longer than
  -- the work, and plain index scans mark the dead rows that they find, so that later ones skip them. Hash tables would be made for the
  -- thousands of elements that the planner expects in JSON. Starting a statement takes longer than its few rows, and each aggregate adds
  -- to it, so arrays are made by subqueries.
  SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_hashagg = off
AS $$
DECLARE
  today CONSTANT date := (moment AT TIME ZONE 'UTC')::date;
  this_month CONSTANT date := date_trunc('month', moment AT TIME ZONE 'UTC')::date;
  largest_integer CONSTANT bigint := 2147483647;
  -- The largest whole number that JSON readers keep exactly.
  largest_amount CONSTANT bigint := 9007199254740991;
  largest_usd CONSTANT numeric := 999999999;
  smallest_usd CONSTANT numeric := 0.000000001;
  -- Deleted reservations with the amounts that were used.
  settled limit_reservations[];
  -- Their scopes with a budget.
  budgeted text[];
  names text[];
  -- In the order of `names`; `month_usd` is null until dollars are counted.
  uses limit_use[];
  use limit_use;
  known_ids text[];
  new_rows limit_reservations[] := '{}';
  new_row limit_reservations;
  uses_before limit_use[];
  rows_before limit_reservations[];
  reservation jsonb;
  reservation_id text;
  is_known boolean;
  limits record;
  place integer;
  wanted_tokens bigint;
  wanted_images bigint;
  most_tokens bigint;
  granted_tokens bigint;
  wanted_usd numeric;
  left_usd numeric;
  granted_usd numeric;
  has_budget boolean;
  refusal text;
  is_refused boolean;
  answer jsonb;
  answers jsonb := '[]';
  spent jsonb;
BEGIN
  -- A settlement whose reservation is gone was recorded before.
  IF settlements <> '[]' THEN
    WITH ended AS (
      DELETE FROM limit_reservations reserved USING jsonb_array_elements(settlements) s WHERE reserved.id = s->>'id'
        RETURNING ROW(reserved.id, reserved.scope, limit_amount(s->'tokens', 0, largest_amount), limit_amount(s->'images', 0, largest_integer),
          moment, CASE WHEN reserved.usd IS NOT NULL THEN limit_dollars(s->'usd') END, s->'usage')::limit_reservations AS used
    )
    SELECT ARRAY(SELECT used FROM ended), ARRAY(SELECT (used).scope FROM ended WHERE (used).usd IS NOT NULL) INTO settled, budgeted;
  END IF;

  -- Locks the counters, always in the same order, so two processes never deadlock. No other process waits for the reservations that were
  -- deleted: it settles its own, or lost ones in the order of their ids. Begins new months, days and minutes, and adds what was used.
  WITH locked AS (
    INSERT INTO limit_counters AS counter (scope, minute_began_at, day, day_tokens, day_images, day_usd, month_usd, total_usd)
      SELECT named.scope, moment, today, least(largest_amount, sum(tokens)), least(largest_integer, sum(images)),
          least(largest_usd, sum(usd)), least(largest_usd, sum(usd)), least(largest_usd, sum(usd))
        FROM (
          SELECT used.scope, used.tokens, used.images, coalesce(used.usd, 0) AS usd FROM unnest(settled) used
          UNION ALL
          SELECT wanted #>> '{}', 0, 0, 0 FROM jsonb_path_query(reservations, '$[*].scopes[*].scope') wanted
        ) named GROUP BY named.scope ORDER BY named.scope
      ON CONFLICT (scope) DO UPDATE SET
        month = CASE WHEN counter.month < this_month THEN this_month ELSE counter.month END,
        month_usd = least(largest_usd, CASE WHEN counter.month < this_month THEN 0 ELSE counter.month_usd END + excluded.month_usd),
        total_usd = least(largest_usd, counter.total_usd + excluded.total_usd),
        day = greatest(counter.day, today),
        day_tokens = least(largest_amount, CASE WHEN counter.day < today THEN 0 ELSE counter.day_tokens END + excluded.day_tokens),
        day_images = least(largest_integer, CASE WHEN counter.day < today THEN 0 ELSE counter.day_images END::bigint + excluded.day_images),
        day_usd = least(largest_usd, CASE WHEN counter.day < today THEN 0 ELSE counter.day_usd END + excluded.day_usd),
        -- A minute that begins in the future is one of before the clock was set back.
        minute_requests = CASE WHEN abs(extract(epoch FROM moment - counter.minute_began_at)) >= 60 THEN 0 ELSE counter.minute_requests END,
        minute_began_at = CASE WHEN counter.minute_requests = 0 OR abs(extract(epoch FROM moment - counter.minute_began_at)) >= 60
          THEN moment ELSE counter.minute_began_at END
      RETURNING counter.scope
  )
  SELECT ARRAY(SELECT scope FROM locked) INTO names;

  IF settlements @? '$[*].usage' THEN
    -- The rows of users who were deleted meanwhile are skipped; the lock prevents a deletion between the check and the insert.
    INSERT INTO usage SELECT made.* FROM (SELECT DISTINCT ON (used.id) used.usage FROM unnest(settled) used WHERE jsonb_typeof(used.usage) = 'object') ended
        CROSS JOIN LATERAL jsonb_populate_record(null::usage, ended.usage || jsonb_build_object('created_at', moment)) made
        JOIN users ON users.id = made.user_id
      FOR KEY SHARE OF users
    ON CONFLICT (id) DO NOTHING;
  END IF;
  IF budgeted <> '{}' THEN
    SELECT jsonb_object_agg(scope, jsonb_build_object('dayUsd', day_usd, 'monthUsd', month_usd, 'totalUsd', total_usd)) INTO spent
      FROM limit_counters WHERE scope = ANY(budgeted);
  END IF;

  -- A reservation in dollars counts until it is settled, even if it has expired: the provider may have charged for the request.
  SELECT ARRAY(
        SELECT ROW(counter.scope, counter.minute_began_at, counter.minute_requests, sums.at_once,
            counter.day_tokens, sums.tokens, counter.day_images, sums.images,
            counter.day_usd, CASE WHEN counter.month IS NOT NULL THEN counter.month_usd END, counter.total_usd, sums.usd)::limit_use
          FROM limit_counters counter CROSS JOIN LATERAL (
            SELECT count(*) FILTER (WHERE reserved.expires_at > moment) AS at_once,
                coalesce(sum(reserved.tokens) FILTER (WHERE reserved.expires_at > moment), 0) AS tokens,
                coalesce(sum(reserved.images) FILTER (WHERE reserved.expires_at > moment), 0) AS images,
                coalesce(sum(reserved.usd), 0) AS usd
              FROM limit_reservations reserved WHERE reserved.scope = counter.scope
          ) sums
          WHERE counter.scope = ANY(names) ORDER BY counter.scope
      ),
      ARRAY(SELECT reserved.id FROM limit_reservations reserved JOIN jsonb_path_query(reservations, '$[*].id') known ON reserved.id = known #>> '{}')
    INTO uses, known_ids;

  FOR number IN 0 .. jsonb_array_length(reservations) - 1 LOOP
    reservation := reservations->number;
    reservation_id := reservation->>'id';
    -- It is repeated because the answer was lost.
    is_known := reservation_id = ANY(known_ids);
    uses_before := uses;
    rows_before := new_rows;
    answer := '{}';
    is_refused := false;
    -- 0 is a request without tokens or images, or free of charge. Anything else wants at least one, so a limit that is used up refuses it.
    wanted_tokens := CASE WHEN reservation->'tokens' = '0' THEN 0 ELSE limit_amount(reservation->'tokens', 1, largest_amount) END;
    wanted_images := CASE WHEN reservation->'images' = '0' THEN 0 ELSE limit_amount(reservation->'images', 1, largest_integer) END;
    most_tokens := wanted_tokens + limit_amount(reservation->'more', 0, largest_amount);
    wanted_usd := CASE WHEN reservation->'usd' = '0' THEN 0 ELSE greatest(smallest_usd, limit_dollars(reservation->'usd')) END;
    granted_usd := greatest(wanted_usd, limit_dollars(reservation->'mostUsd'));
    FOR limits IN SELECT * FROM jsonb_to_recordset(reservation->'scopes')
      AS s(scope text, requests bigint, "atOnce" bigint, tokens bigint, images bigint, "usdPerDay" numeric, "usdPerMonth" numeric, "usdTotal" numeric)
    LOOP
      place := array_position(names, limits.scope);
      use := uses[place];
      has_budget := coalesce(limits."usdPerDay", limits."usdPerMonth", limits."usdTotal") IS NOT NULL;
      -- Dollars are counted from the first budget of a scope on; its day and month include what the ledger has from before.
      IF has_budget AND use.month_usd IS NULL THEN
        UPDATE limit_counters counter SET
            month = this_month,
            day_usd = ledger_dollars(limits.scope, today::timestamp AT TIME ZONE 'UTC'),
            month_usd = ledger_dollars(limits.scope, this_month::timestamp AT TIME ZONE 'UTC')
          WHERE counter.scope = limits.scope
          RETURNING counter.day_usd, counter.month_usd INTO use.day_usd, use.month_usd;
      END IF;
      left_usd := least(limits."usdPerDay" - use.day_usd, limits."usdPerMonth" - use.month_usd, limits."usdTotal" - use.total_usd) - use.reserved_usd;
      refusal := CASE
        WHEN is_known THEN NULL
        WHEN limits."usdTotal" <= 0 OR wanted_usd > 0 AND use.total_usd + wanted_usd > limits."usdTotal" THEN 'usdTotal'
        WHEN limits."usdPerMonth" <= 0 OR wanted_usd > 0 AND use.month_usd + wanted_usd > limits."usdPerMonth" THEN 'usdPerMonth'
        WHEN limits."usdPerDay" <= 0 OR wanted_usd > 0 AND use.day_usd + wanted_usd > limits."usdPerDay" THEN 'usdPerDay'
        WHEN wanted_tokens > 0 AND use.day_tokens + wanted_tokens > limits.tokens THEN 'tokens'
        WHEN wanted_images > 0 AND use.day_images + wanted_images > limits.images THEN 'images'
        WHEN use.requests + 1 > limits.requests THEN 'requests'
        WHEN use.at_once + 1 > limits."atOnce" THEN 'atOnce'
        WHEN wanted_tokens > 0 AND use.day_tokens + use.reserved_tokens + wanted_tokens > limits.tokens THEN 'reservedTokens'
        WHEN wanted_images > 0 AND use.day_images + use.reserved_images + wanted_images > limits.images THEN 'reservedImages'
        WHEN wanted_usd > 0 AND wanted_usd > left_usd THEN 'reservedUsd'
      END;
      is_refused := is_refused OR refusal IS NOT NULL;
      answer := answer || jsonb_build_object(limits.scope, jsonb_build_object(
        'refusal', refusal,
        'requests', use.requests,
        'minuteBeganAt', extract(epoch FROM use.minute_began_at) * 1000,
        'tokens', use.day_tokens + use.reserved_tokens,
        'images', use.day_images + use.reserved_images
      ) || CASE WHEN has_budget
        THEN jsonb_build_object('dayUsd', use.day_usd, 'monthUsd', use.month_usd, 'totalUsd', use.total_usd, 'reservedUsd', use.reserved_usd)
        ELSE '{}' END);
      granted_tokens := greatest(0, least(most_tokens, limits.tokens - use.day_tokens - use.reserved_tokens));
      granted_usd := greatest(wanted_usd, least(granted_usd, left_usd));
      new_rows := new_rows || ROW(reservation_id, limits.scope, granted_tokens, wanted_images, moment + lease,
        CASE WHEN has_budget THEN 0 END, CASE WHEN has_budget THEN nullif(reservation->'usage', 'null') END)::limit_reservations;
      use.requests := use.requests + 1;
      use.at_once := use.at_once + 1;
      use.reserved_tokens := use.reserved_tokens + granted_tokens;
      use.reserved_images := use.reserved_images + wanted_images;
      uses[place] := use;
    END LOOP;
    IF is_refused OR is_known THEN
      uses := uses_before;
      new_rows := rows_before;
      SELECT known.usd INTO granted_usd FROM limit_reservations known WHERE known.id = reservation_id AND known.usd IS NOT NULL LIMIT 1;
    ELSE
      -- All budgets reserve the same, as much as the tightest of them grants.
      FOR number IN coalesce(cardinality(rows_before), 0) + 1 .. cardinality(new_rows) LOOP
        new_row := new_rows[number];
        CONTINUE WHEN new_row.usd IS NULL;
        new_row.usd := granted_usd;
        new_rows[number] := new_row;
        place := array_position(names, new_row.scope);
        use := uses[place];
        use.reserved_usd := use.reserved_usd + granted_usd;
        uses[place] := use;
      END LOOP;
    END IF;
    answers := answers || jsonb_build_array(jsonb_build_object('uses', answer, 'grantedUsd', granted_usd));
  END LOOP;

  WITH made AS (INSERT INTO limit_reservations SELECT * FROM unnest(new_rows))
  UPDATE limit_counters counter SET minute_requests = used.requests FROM unnest(uses) used
    WHERE counter.scope = used.scope AND counter.minute_requests < used.requests;
  RETURN jsonb_build_object('reservations', answers, 'spent', coalesce(spent, '{}'));
END;
$$;
