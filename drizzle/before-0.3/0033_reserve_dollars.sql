DROP FUNCTION "reserve_limits"(jsonb, jsonb, timestamp with time zone, interval);
--> statement-breakpoint
DROP TYPE "limit_use";
--> statement-breakpoint
-- A counter with the sums of its holds.
CREATE TYPE "limit_use" AS (
	"scope" text,
	"minute_began_at" timestamp with time zone,
	"requests" bigint,
	"at_once" bigint,
	"day_tokens" bigint,
	"held_tokens" bigint,
	"day_pictures" bigint,
	"held_pictures" bigint,
	"day_usd" numeric,
	"month_usd" numeric,
	"total_usd" numeric,
	"held_usd" numeric
);
--> statement-breakpoint
-- An amount in dollars, rounded to nine decimals; the largest for anything that is no number.
CREATE FUNCTION "limit_dollars"(value jsonb) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN jsonb_typeof(value) = 'number'
    THEN greatest(0, least(1000000, round((value #>> '{}')::numeric, 9)))
    ELSE 1000000 END;
$$;
--> statement-breakpoint
-- What a scope has spent since a moment, by the usage ledger.
CREATE FUNCTION "ledger_dollars"(scope text, since timestamp with time zone) RETURNS numeric LANGUAGE plpgsql STABLE AS $$
DECLARE
  kind CONSTANT text := split_part(scope, ':', 1);
  owner CONSTANT bigint := nullif(split_part(scope, ':', 2), '')::bigint;
  spent numeric;
BEGIN
  IF kind = 'person' THEN
    SELECT sum(cost_usd) INTO spent FROM usage WHERE person_id = owner AND created_at >= since;
  ELSIF kind = 'key' THEN
    SELECT sum(cost_usd) INTO spent FROM usage
      WHERE person_id = (SELECT person_id FROM api_keys WHERE id = owner) AND key_id = owner AND created_at >= since;
  ELSIF kind = 'chat' THEN
    SELECT sum(cost_usd) INTO spent FROM usage WHERE chat_id = owner AND created_at >= since;
  ELSIF kind = 'instance' THEN
    SELECT sum(cost_usd) INTO spent FROM usage WHERE created_at >= since;
  END IF;
  RETURN least(coalesce(spent, 0), 999999999);
END;
$$;
--> statement-breakpoint
-- Books what ended requests used and cost, with their rows of the usage ledger, then makes reservations in the order given, each in all
-- of its scopes or in none. Returns for each reservation what every scope had used before, why it is refused, and the dollars that are
-- reserved; and for the scopes that settlements were booked on what they have spent.
CREATE FUNCTION "reserve_limits"(settlements jsonb, reservations jsonb, moment timestamp with time zone, lease interval) RETURNS jsonb LANGUAGE plpgsql
  -- One plan, whatever the statistics of tables that change with every request say: a few rows by key. Planning would take longer than
  -- the work, and plain index scans mark the dead rows they meet, so that later ones skip them.
  SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  today CONSTANT date := (moment AT TIME ZONE 'UTC')::date;
  this_month CONSTANT date := date_trunc('month', moment AT TIME ZONE 'UTC')::date;
  largest_integer CONSTANT bigint := 2147483647;
  -- The largest whole number that JSON readers keep exactly.
  largest_amount CONSTANT bigint := 9007199254740991;
  largest_usd CONSTANT numeric := 999999999;
  smallest_usd CONSTANT numeric := 0.000000001;
  names text[];
  uncounted text;
  uses limit_use[];
  use limit_use;
  known_ids text[];
  holds limit_holds[] := '{}';
  own_hold limit_holds;
  uses_before limit_use[];
  holds_before limit_holds[];
  reservation record;
  limits record;
  place integer;
  wanted_tokens bigint;
  wanted_pictures bigint;
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
  -- Locks the counters, always in the same order, so two processes never deadlock. Begins new months, days and minutes.
  INSERT INTO limit_counters AS counter (scope, minute_began_at, day)
    SELECT scope, moment, today FROM (
      SELECT s->>'scope' AS scope FROM jsonb_array_elements(reservations) r, jsonb_array_elements(r->'scopes') s
      UNION
      SELECT hold.scope FROM limit_holds hold JOIN jsonb_array_elements(settlements) s ON hold.id = s->>'id'
    ) named ORDER BY scope
    ON CONFLICT (scope) DO UPDATE SET
      month = CASE WHEN counter.month < this_month THEN this_month ELSE counter.month END,
      month_usd = CASE WHEN counter.month < this_month THEN 0 ELSE counter.month_usd END,
      day = greatest(counter.day, today),
      day_tokens = CASE WHEN counter.day < today THEN 0 ELSE counter.day_tokens END,
      day_pictures = CASE WHEN counter.day < today THEN 0 ELSE counter.day_pictures END,
      day_usd = CASE WHEN counter.day < today THEN 0 ELSE counter.day_usd END,
      -- A minute that begins in the future is one of before the clock was set back.
      minute_requests = CASE WHEN abs(extract(epoch FROM moment - counter.minute_began_at)) >= 60 THEN 0 ELSE counter.minute_requests END,
      minute_began_at = CASE WHEN counter.minute_requests = 0 OR abs(extract(epoch FROM moment - counter.minute_began_at)) >= 60
        THEN moment ELSE counter.minute_began_at END;

  -- A settlement whose hold is gone was booked before.
  WITH settled AS (
    DELETE FROM limit_holds hold USING jsonb_array_elements(settlements) s WHERE hold.id = s->>'id'
      RETURNING hold.id, hold.scope, limit_amount(s->'tokens', 0, largest_amount) AS tokens, limit_amount(s->'pictures', 0, largest_integer) AS pictures,
        CASE WHEN hold.usd IS NOT NULL THEN limit_dollars(s->'usd') END AS usd, s->'usage' AS entry
  ), written AS (
    -- The rows of users who were deleted meanwhile are skipped; the lock prevents a deletion between the check and the insert.
    INSERT INTO usage SELECT made.* FROM (SELECT DISTINCT ON (id) entry FROM settled WHERE jsonb_typeof(entry) = 'object') ended
        CROSS JOIN LATERAL jsonb_populate_record(null::usage, ended.entry || jsonb_build_object('created_at', moment)) made
        JOIN people ON people.id = made.person_id
      FOR KEY SHARE OF people
    ON CONFLICT (id) DO NOTHING
  ), used AS (
    SELECT scope, sum(tokens) AS tokens, sum(pictures) AS pictures, sum(usd) AS usd FROM settled GROUP BY scope
  ), booked AS (
    UPDATE limit_counters counter SET
        day_tokens = least(largest_amount, counter.day_tokens + used.tokens),
        day_pictures = least(largest_integer, counter.day_pictures + used.pictures),
        day_usd = least(largest_usd, counter.day_usd + coalesce(used.usd, 0)),
        month_usd = least(largest_usd, counter.month_usd + coalesce(used.usd, 0)),
        total_usd = least(largest_usd, counter.total_usd + coalesce(used.usd, 0))
      FROM used WHERE counter.scope = used.scope
      RETURNING counter.scope, used.usd, counter.day_usd, counter.month_usd, counter.total_usd
  )
  SELECT jsonb_object_agg(scope, jsonb_build_object('dayUsd', day_usd, 'monthUsd', month_usd, 'totalUsd', total_usd)) FILTER (WHERE usd IS NOT NULL)
    INTO spent FROM booked;

  -- Dollars are counted from the first budget of a scope on; its day and month include what the ledger has from before.
  FOR uncounted IN
    SELECT counter.scope FROM limit_counters counter WHERE counter.month IS NULL AND counter.scope IN (
      SELECT s->>'scope' FROM jsonb_array_elements(reservations) r, jsonb_array_elements(r->'scopes') s
        WHERE coalesce(s->'usdPerDay', s->'usdPerMonth', s->'usdTotal') IS NOT NULL)
  LOOP
    UPDATE limit_counters counter SET
        month = this_month,
        day_usd = ledger_dollars(uncounted, today::timestamp AT TIME ZONE 'UTC'),
        month_usd = ledger_dollars(uncounted, this_month::timestamp AT TIME ZONE 'UTC')
      WHERE counter.scope = uncounted;
  END LOOP;

  names := ARRAY(SELECT DISTINCT s->>'scope' FROM jsonb_array_elements(reservations) r, jsonb_array_elements(r->'scopes') s ORDER BY 1);
  known_ids := ARRAY(SELECT DISTINCT hold.id FROM limit_holds hold JOIN jsonb_array_elements(reservations) r ON hold.id = r->>'id');
  -- A hold in dollars counts until it is settled, even if it has expired: the provider may have charged for the request.
  uses := ARRAY(
    SELECT ROW(counter.scope, counter.minute_began_at, counter.minute_requests, held.at_once,
        counter.day_tokens, held.tokens, counter.day_pictures, held.pictures,
        counter.day_usd, counter.month_usd, counter.total_usd, held.usd)::limit_use
      FROM limit_counters counter, LATERAL (
        SELECT count(*) FILTER (WHERE hold.expires_at > moment) AS at_once,
            coalesce(sum(hold.tokens) FILTER (WHERE hold.expires_at > moment), 0) AS tokens,
            coalesce(sum(hold.pictures) FILTER (WHERE hold.expires_at > moment), 0) AS pictures,
            coalesce(sum(hold.usd), 0) AS usd
          FROM limit_holds hold WHERE hold.scope = counter.scope
      ) held
      WHERE counter.scope = ANY(names) ORDER BY counter.scope
  );

  FOR reservation IN SELECT * FROM jsonb_to_recordset(reservations)
    AS r(id text, tokens jsonb, more jsonb, pictures jsonb, usd jsonb, "mostUsd" jsonb, usage jsonb, scopes jsonb)
  LOOP
    uses_before := uses;
    holds_before := holds;
    answer := '{}';
    is_refused := false;
    -- 0 is a request without tokens or pictures, or free of charge. Anything else wants one at least, so a limit that is used up refuses it.
    wanted_tokens := CASE WHEN reservation.tokens = '0' THEN 0 ELSE limit_amount(reservation.tokens, 1, largest_amount) END;
    wanted_pictures := CASE WHEN reservation.pictures = '0' THEN 0 ELSE limit_amount(reservation.pictures, 1, largest_integer) END;
    most_tokens := wanted_tokens + limit_amount(reservation.more, 0, largest_amount);
    wanted_usd := CASE WHEN reservation.usd = '0' THEN 0 ELSE greatest(smallest_usd, limit_dollars(reservation.usd)) END;
    granted_usd := greatest(wanted_usd, limit_dollars(reservation."mostUsd"));
    FOR limits IN SELECT * FROM jsonb_to_recordset(reservation.scopes)
      AS s(scope text, requests bigint, "atOnce" bigint, tokens bigint, pictures bigint, "usdPerDay" numeric, "usdPerMonth" numeric, "usdTotal" numeric)
    LOOP
      place := array_position(names, limits.scope);
      use := uses[place];
      has_budget := coalesce(limits."usdPerDay", limits."usdPerMonth", limits."usdTotal") IS NOT NULL;
      left_usd := least(limits."usdPerDay" - use.day_usd, limits."usdPerMonth" - use.month_usd, limits."usdTotal" - use.total_usd) - use.held_usd;
      refusal := CASE
        -- Its answer was lost, and it is asked for a second time.
        WHEN reservation.id = ANY(known_ids) THEN NULL
        WHEN limits."usdTotal" <= 0 OR wanted_usd > 0 AND use.total_usd + wanted_usd > limits."usdTotal" THEN 'usdTotal'
        WHEN limits."usdPerMonth" <= 0 OR wanted_usd > 0 AND use.month_usd + wanted_usd > limits."usdPerMonth" THEN 'usdPerMonth'
        WHEN limits."usdPerDay" <= 0 OR wanted_usd > 0 AND use.day_usd + wanted_usd > limits."usdPerDay" THEN 'usdPerDay'
        WHEN wanted_tokens > 0 AND use.day_tokens + wanted_tokens > limits.tokens THEN 'tokens'
        WHEN wanted_pictures > 0 AND use.day_pictures + wanted_pictures > limits.pictures THEN 'pictures'
        WHEN use.requests + 1 > limits.requests THEN 'requests'
        WHEN use.at_once + 1 > limits."atOnce" THEN 'atOnce'
        WHEN wanted_tokens > 0 AND use.day_tokens + use.held_tokens + wanted_tokens > limits.tokens THEN 'heldTokens'
        WHEN wanted_pictures > 0 AND use.day_pictures + use.held_pictures + wanted_pictures > limits.pictures THEN 'heldPictures'
        WHEN wanted_usd > 0 AND wanted_usd > left_usd THEN 'heldUsd'
      END;
      is_refused := is_refused OR refusal IS NOT NULL;
      answer := answer || jsonb_build_object(limits.scope, jsonb_build_object(
        'refusal', refusal,
        'requests', use.requests,
        'minuteBeganAt', extract(epoch FROM use.minute_began_at) * 1000,
        'tokens', use.day_tokens + use.held_tokens,
        'pictures', use.day_pictures + use.held_pictures
      ) || CASE WHEN has_budget
        THEN jsonb_build_object('dayUsd', use.day_usd, 'monthUsd', use.month_usd, 'totalUsd', use.total_usd, 'heldUsd', use.held_usd)
        ELSE '{}' END);
      granted_tokens := greatest(0, least(most_tokens, limits.tokens - use.day_tokens - use.held_tokens));
      granted_usd := greatest(wanted_usd, least(granted_usd, left_usd));
      holds := holds || ROW(reservation.id, limits.scope, granted_tokens, wanted_pictures, moment + lease,
        CASE WHEN has_budget THEN 0 END, CASE WHEN has_budget THEN reservation.usage END)::limit_holds;
      use.requests := use.requests + 1;
      use.at_once := use.at_once + 1;
      use.held_tokens := use.held_tokens + granted_tokens;
      use.held_pictures := use.held_pictures + wanted_pictures;
      uses[place] := use;
    END LOOP;
    IF is_refused OR reservation.id = ANY(known_ids) THEN
      uses := uses_before;
      holds := holds_before;
      SELECT known.usd INTO granted_usd FROM limit_holds known WHERE known.id = reservation.id AND known.usd IS NOT NULL LIMIT 1;
    ELSE
      -- All budgets reserve the same, as much as the tightest of them grants.
      FOR number IN coalesce(cardinality(holds_before), 0) + 1 .. cardinality(holds) LOOP
        own_hold := holds[number];
        CONTINUE WHEN own_hold.usd IS NULL;
        own_hold.usd := granted_usd;
        holds[number] := own_hold;
        place := array_position(names, own_hold.scope);
        use := uses[place];
        use.held_usd := use.held_usd + granted_usd;
        uses[place] := use;
      END LOOP;
    END IF;
    answers := answers || jsonb_build_array(jsonb_build_object('uses', answer, 'grantedUsd', granted_usd));
  END LOOP;

  INSERT INTO limit_holds SELECT * FROM unnest(holds);
  UPDATE limit_counters counter SET minute_requests = used.requests FROM unnest(uses) used
    WHERE counter.scope = used.scope AND counter.minute_requests < used.requests;
  RETURN jsonb_build_object('reservations', answers, 'spent', coalesce(spent, '{}'));
END;
$$;
