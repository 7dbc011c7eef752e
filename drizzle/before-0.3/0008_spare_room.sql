ALTER TABLE "limit_holds" ADD COLUMN "works" integer DEFAULT 1 NOT NULL;
--> statement-breakpoint
-- As before, with room for further pieces of work in one hold; and a minute that begins in the future, because the clock was set back, is over as well.
CREATE OR REPLACE FUNCTION "use_limits"(orders jsonb, moment timestamp with time zone, lease interval) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  answers jsonb := '[]';
  standings jsonb;
  today date := (moment AT TIME ZONE 'UTC')::date;
  names text[];
  entry jsonb;
  part jsonb;
  counter limit_counters%ROWTYPE;
  hold limit_holds%ROWTYPE;
  wished_tokens bigint;
  wished_pictures integer;
  held_tokens_of bigint[];
  taken_tokens bigint;
  refusal text;
  is_refused boolean;
  -- Pieces of work that an order is about, and further ones that room is wanted for.
  count_of integer;
  spare integer;
  spare_tokens bigint;
BEGIN
  SELECT coalesce(array_agg(DISTINCT name), '{}') INTO names FROM (
    SELECT s->>'scope' AS name FROM jsonb_array_elements(orders) o, jsonb_array_elements(coalesce(o->'scopes', '[]')) s
    UNION ALL
    SELECT unnest(scopes) FROM limit_holds WHERE expires_at <= moment AND orders @> '[{"kind": "expire"}]'
  ) n;
  -- Always in one order, so that two processes never wait for each other.
  INSERT INTO limit_counters (scope, minute_began_at, day)
    SELECT name, moment, today FROM unnest(names) name ORDER BY name ON CONFLICT DO NOTHING;
  PERFORM 1 FROM limit_counters WHERE scope = ANY(names) ORDER BY scope FOR UPDATE;
  UPDATE limit_counters SET day = today, day_tokens = 0, day_pictures = 0 WHERE scope = ANY(names) AND day < today;
  FOR entry IN SELECT value FROM jsonb_array_elements(orders) LOOP
    IF entry->>'kind' = 'expire' THEN
      FOR hold IN DELETE FROM limit_holds WHERE expires_at <= moment AND scopes <@ names RETURNING * LOOP
        UPDATE limit_counters c SET
          held_tokens = greatest(0, c.held_tokens - u.tokens),
          held_pictures = greatest(0, c.held_pictures - hold.pictures),
          works = greatest(0, c.works - hold.works)
          FROM unnest(hold.scopes, hold.tokens) u(scope, tokens) WHERE c.scope = u.scope;
      END LOOP;
      answers := answers || jsonb_build_array(NULL);
      CONTINUE;
    END IF;
    IF entry->>'kind' = 'renew' THEN
      UPDATE limit_holds SET expires_at = moment + lease
        WHERE id IN (SELECT jsonb_array_elements_text(entry->'holds'));
      answers := answers || jsonb_build_array(NULL);
      CONTINUE;
    END IF;
    wished_tokens := (entry->>'tokens')::bigint;
    wished_pictures := (entry->>'pictures')::integer;
    count_of := coalesce((entry->>'count')::integer, 1);
    IF entry->>'kind' = 'settle' THEN
      UPDATE limit_counters c SET minute_requests = greatest(0, c.minute_requests - (entry->>'unused')::integer)
        FROM jsonb_array_elements(entry->'scopes') s
        WHERE entry ? 'unused' AND c.scope = s->>'scope' AND c.minute_began_at = to_timestamp((s->>'minuteBeganAt')::numeric / 1000);
      -- A part of what is shared; with the last piece of work all that is left goes.
      SELECT * INTO hold FROM limit_holds WHERE id = entry->>'hold' AND works > count_of;
      IF FOUND THEN
        UPDATE limit_holds SET works = works - count_of,
          tokens = ARRAY(SELECT greatest(0, t.held - (entry->>'freed')::bigint) FROM unnest(tokens) WITH ORDINALITY t(held, at) ORDER BY t.at)
          WHERE id = hold.id;
        UPDATE limit_counters c SET
          day_tokens = c.day_tokens + wished_tokens,
          held_tokens = greatest(0, c.held_tokens - least(u.tokens, (entry->>'freed')::bigint)),
          works = greatest(0, c.works - count_of)
          FROM unnest(hold.scopes, hold.tokens) u(scope, tokens) WHERE c.scope = u.scope;
        answers := answers || jsonb_build_array(NULL);
        CONTINUE;
      END IF;
      DELETE FROM limit_holds WHERE id = entry->>'hold' RETURNING * INTO hold;
      IF FOUND THEN
        UPDATE limit_counters c SET
          day_tokens = c.day_tokens + wished_tokens,
          day_pictures = c.day_pictures + wished_pictures,
          held_tokens = greatest(0, c.held_tokens - u.tokens),
          held_pictures = greatest(0, c.held_pictures - hold.pictures),
          works = greatest(0, c.works - hold.works)
          FROM unnest(hold.scopes, hold.tokens) u(scope, tokens) WHERE c.scope = u.scope;
      ELSE
        UPDATE limit_counters SET day_tokens = day_tokens + wished_tokens, day_pictures = day_pictures + wished_pictures
          WHERE scope IN (SELECT s->>'scope' FROM jsonb_array_elements(entry->'scopes') s);
      END IF;
      answers := answers || jsonb_build_array(NULL);
      CONTINUE;
    END IF;
    standings := '[]';
    held_tokens_of := '{}';
    is_refused := false;
    spare := coalesce((entry->>'spare')::integer, 0);
    spare_tokens := coalesce((entry->>'spareTokens')::bigint, 0);
    FOR part IN SELECT value FROM jsonb_array_elements(entry->'scopes') LOOP
      SELECT * INTO counter FROM limit_counters WHERE scope = part->>'scope';
      IF counter.minute_requests = 0 OR abs(extract(epoch FROM moment - counter.minute_began_at)) >= 60 THEN
        counter.minute_requests := 0;
        counter.minute_began_at := moment;
      END IF;
      refusal := CASE
        WHEN wished_tokens > 0 AND counter.day_tokens + wished_tokens > (part->>'tokens')::bigint THEN 'tokens'
        WHEN wished_pictures > 0 AND counter.day_pictures + wished_pictures > (part->>'pictures')::integer THEN 'pictures'
        WHEN counter.minute_requests + count_of > (part->>'requests')::integer THEN 'requests'
        WHEN counter.works + count_of > (part->>'atOnce')::integer THEN 'atOnce'
        WHEN wished_tokens > 0 AND counter.day_tokens + counter.held_tokens + wished_tokens > (part->>'tokens')::bigint THEN 'heldTokens'
        WHEN wished_pictures > 0 AND counter.day_pictures + counter.held_pictures + wished_pictures > (part->>'pictures')::integer
          THEN 'heldPictures'
      END;
      is_refused := is_refused OR refusal IS NOT NULL;
      taken_tokens := greatest(0, least(
        wished_tokens + (entry->>'more')::bigint,
        coalesce((part->>'tokens')::bigint - counter.day_tokens - counter.held_tokens, wished_tokens + (entry->>'more')::bigint)
      ));
      held_tokens_of := held_tokens_of || taken_tokens;
      -- Never more than a small share of what is left: where little is left, everybody asks for each piece of work.
      spare := greatest(0, least(
        spare,
        ((part->>'requests')::integer - counter.minute_requests - count_of) / 32,
        ((part->>'atOnce')::integer - counter.works - count_of) / 32,
        ((part->>'tokens')::bigint - counter.day_tokens - counter.held_tokens - wished_tokens - (entry->>'more')::bigint)
          / 32 / greatest(1, spare_tokens)
      ));
      standings := standings || jsonb_build_object(
        'refusal', refusal,
        'requests', counter.minute_requests,
        'minuteBeganAt', extract(epoch FROM counter.minute_began_at) * 1000,
        'tokens', counter.day_tokens + counter.held_tokens,
        'pictures', counter.day_pictures + counter.held_pictures,
        -- That of the last scope counts.
        'spare', spare
      );
    END LOOP;
    IF NOT is_refused THEN
      INSERT INTO limit_holds (id, scopes, tokens, pictures, works, expires_at)
        SELECT entry->>'hold', array_agg(s.value->>'scope' ORDER BY s.at),
          ARRAY(SELECT t.held + spare * spare_tokens FROM unnest(held_tokens_of) WITH ORDINALITY t(held, at) ORDER BY t.at),
          wished_pictures, count_of + spare, moment + lease
        FROM jsonb_array_elements(entry->'scopes') WITH ORDINALITY s(value, at)
        RETURNING * INTO hold;
      UPDATE limit_counters c SET
        minute_began_at = CASE WHEN c.minute_requests = 0 OR abs(extract(epoch FROM moment - c.minute_began_at)) >= 60
          THEN moment ELSE c.minute_began_at END,
        minute_requests = CASE WHEN abs(extract(epoch FROM moment - c.minute_began_at)) >= 60 THEN 0 ELSE c.minute_requests END
          + count_of + spare,
        held_tokens = c.held_tokens + u.tokens,
        held_pictures = c.held_pictures + wished_pictures,
        works = c.works + count_of + spare
        FROM unnest(hold.scopes, hold.tokens) u(scope, tokens) WHERE c.scope = u.scope;
    END IF;
    answers := answers || jsonb_build_array(standings);
  END LOOP;
  RETURN answers;
END;
$$;
