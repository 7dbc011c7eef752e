DROP FUNCTION "use_limits"(jsonb, timestamp with time zone, interval, text, bigint);
--> statement-breakpoint
DROP FUNCTION "use_limits"(jsonb, timestamp with time zone, interval);
--> statement-breakpoint
DROP TABLE "limit_writers";
--> statement-breakpoint
DROP TABLE "limit_holds";
--> statement-breakpoint
ALTER TABLE "limit_counters" DROP CONSTRAINT "limit_counters_held", DROP COLUMN "held_tokens", DROP COLUMN "held_pictures", DROP COLUMN "works";
--> statement-breakpoint
CREATE TABLE "limit_holds" (
	"id" text NOT NULL,
	"scope" text NOT NULL,
	"tokens" bigint NOT NULL,
	"pictures" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "limit_holds_id_scope_pk" PRIMARY KEY("id","scope"),
	CONSTRAINT "limit_holds_amounts" CHECK ("limit_holds"."tokens" >= 0 and "limit_holds"."pictures" >= 0)
);
--> statement-breakpoint
CREATE INDEX "limit_holds_scope" ON "limit_holds" USING btree ("scope");
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
	"held_pictures" bigint
);
--> statement-breakpoint
-- Books what ended requests used, then makes reservations in the order given, each in all of its scopes or in none.
-- Returns for each reservation and scope what was used before, and why it is refused.
CREATE FUNCTION "reserve_limits"(settlements jsonb, reservations jsonb, moment timestamp with time zone, lease interval) RETURNS jsonb LANGUAGE plpgsql
  -- One plan, whatever the statistics of tables that change with every request say: a few rows by key. Planning would take longer than
  -- the work, and plain index scans mark the dead rows they meet, so that later ones skip them.
  SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  today CONSTANT date := (moment AT TIME ZONE 'UTC')::date;
  largest_integer CONSTANT bigint := 2147483647;
  -- The largest whole number that JSON readers keep exactly.
  largest_amount CONSTANT bigint := 9007199254740991;
  names text[];
  uses limit_use[];
  use limit_use;
  known_ids text[];
  holds limit_holds[] := '{}';
  uses_before limit_use[];
  holds_before limit_holds[];
  reservation record;
  limits record;
  place integer;
  wanted_tokens bigint;
  wanted_pictures bigint;
  most_tokens bigint;
  granted_tokens bigint;
  refusal text;
  is_refused boolean;
  answer jsonb;
  answers jsonb := '[]';
BEGIN
  -- Locks the counters, always in the same order, so two processes never deadlock. Begins new days and minutes.
  INSERT INTO limit_counters AS counter (scope, minute_began_at, day)
    SELECT scope, moment, today FROM (
      SELECT s->>'scope' AS scope FROM jsonb_array_elements(reservations) r, jsonb_array_elements(r->'scopes') s
      UNION
      SELECT hold.scope FROM limit_holds hold JOIN jsonb_array_elements(settlements) s ON hold.id = s->>'id'
    ) named ORDER BY scope
    ON CONFLICT (scope) DO UPDATE SET
      day = greatest(counter.day, today),
      day_tokens = CASE WHEN counter.day < today THEN 0 ELSE counter.day_tokens END,
      day_pictures = CASE WHEN counter.day < today THEN 0 ELSE counter.day_pictures END,
      -- A minute that begins in the future is one of before the clock was set back.
      minute_requests = CASE WHEN abs(extract(epoch FROM moment - counter.minute_began_at)) >= 60 THEN 0 ELSE counter.minute_requests END,
      minute_began_at = CASE WHEN counter.minute_requests = 0 OR abs(extract(epoch FROM moment - counter.minute_began_at)) >= 60
        THEN moment ELSE counter.minute_began_at END;

  -- A settlement whose hold is gone was booked before.
  WITH settled AS (
    DELETE FROM limit_holds hold USING jsonb_array_elements(settlements) s WHERE hold.id = s->>'id'
      RETURNING hold.scope, limit_amount(s->'tokens', 0, largest_amount) AS tokens, limit_amount(s->'pictures', 0, largest_integer) AS pictures
  ), used AS (
    SELECT scope, sum(tokens) AS tokens, sum(pictures) AS pictures FROM settled GROUP BY scope
  )
  UPDATE limit_counters counter SET
      day_tokens = least(largest_amount, counter.day_tokens + used.tokens),
      day_pictures = least(largest_integer, counter.day_pictures + used.pictures)
    FROM used WHERE counter.scope = used.scope;

  names := ARRAY(SELECT DISTINCT s->>'scope' FROM jsonb_array_elements(reservations) r, jsonb_array_elements(r->'scopes') s ORDER BY 1);
  known_ids := ARRAY(SELECT DISTINCT hold.id FROM limit_holds hold JOIN jsonb_array_elements(reservations) r ON hold.id = r->>'id');
  uses := ARRAY(
    SELECT ROW(counter.scope, counter.minute_began_at, counter.minute_requests, held.at_once,
        counter.day_tokens, held.tokens, counter.day_pictures, held.pictures)::limit_use
      FROM limit_counters counter, LATERAL (
        SELECT count(*) AS at_once, coalesce(sum(hold.tokens), 0) AS tokens, coalesce(sum(hold.pictures), 0) AS pictures
          FROM limit_holds hold WHERE hold.scope = counter.scope AND hold.expires_at > moment
      ) held
      WHERE counter.scope = ANY(names) ORDER BY counter.scope
  );

  FOR reservation IN SELECT * FROM jsonb_to_recordset(reservations) AS r(id text, tokens jsonb, more jsonb, pictures jsonb, scopes jsonb) LOOP
    uses_before := uses;
    holds_before := holds;
    answer := '{}';
    is_refused := false;
    -- 0 is a request without tokens or pictures. Anything else wants one at least, so a budget that is used up refuses it.
    wanted_tokens := CASE WHEN reservation.tokens = '0' THEN 0 ELSE limit_amount(reservation.tokens, 1, largest_amount) END;
    wanted_pictures := CASE WHEN reservation.pictures = '0' THEN 0 ELSE limit_amount(reservation.pictures, 1, largest_integer) END;
    most_tokens := wanted_tokens + limit_amount(reservation.more, 0, largest_amount);
    FOR limits IN SELECT * FROM jsonb_to_recordset(reservation.scopes) AS s(scope text, requests bigint, "atOnce" bigint, tokens bigint, pictures bigint) LOOP
      place := array_position(names, limits.scope);
      use := uses[place];
      refusal := CASE
        -- Its answer was lost, and it is asked for a second time.
        WHEN reservation.id = ANY(known_ids) THEN NULL
        WHEN wanted_tokens > 0 AND use.day_tokens + wanted_tokens > limits.tokens THEN 'tokens'
        WHEN wanted_pictures > 0 AND use.day_pictures + wanted_pictures > limits.pictures THEN 'pictures'
        WHEN use.requests + 1 > limits.requests THEN 'requests'
        WHEN use.at_once + 1 > limits."atOnce" THEN 'atOnce'
        WHEN wanted_tokens > 0 AND use.day_tokens + use.held_tokens + wanted_tokens > limits.tokens THEN 'heldTokens'
        WHEN wanted_pictures > 0 AND use.day_pictures + use.held_pictures + wanted_pictures > limits.pictures THEN 'heldPictures'
      END;
      is_refused := is_refused OR refusal IS NOT NULL;
      answer := answer || jsonb_build_object(limits.scope, jsonb_build_object(
        'refusal', refusal,
        'requests', use.requests,
        'minuteBeganAt', extract(epoch FROM use.minute_began_at) * 1000,
        'tokens', use.day_tokens + use.held_tokens,
        'pictures', use.day_pictures + use.held_pictures
      ));
      granted_tokens := greatest(0, least(most_tokens, limits.tokens - use.day_tokens - use.held_tokens));
      holds := holds || ROW(reservation.id, limits.scope, granted_tokens, wanted_pictures, moment + lease)::limit_holds;
      use.requests := use.requests + 1;
      use.at_once := use.at_once + 1;
      use.held_tokens := use.held_tokens + granted_tokens;
      use.held_pictures := use.held_pictures + wanted_pictures;
      uses[place] := use;
    END LOOP;
    IF is_refused OR reservation.id = ANY(known_ids) THEN
      uses := uses_before;
      holds := holds_before;
    END IF;
    answers := answers || jsonb_build_array(answer);
  END LOOP;

  INSERT INTO limit_holds SELECT * FROM unnest(holds);
  UPDATE limit_counters counter SET minute_requests = used.requests FROM unnest(uses) used
    WHERE counter.scope = used.scope AND counter.minute_requests < used.requests;
  RETURN answers;
END;
$$;
