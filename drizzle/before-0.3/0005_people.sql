CREATE TABLE "admin_actions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "admin_actions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"admin_telegram_id" bigint NOT NULL,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "admin_actions_action" CHECK ("admin_actions"."action" in ('ban', 'unban', 'allow', 'disallow', 'take-down', 'plan'))
);
--> statement-breakpoint
CREATE TABLE "allowed_people" (
	"telegram_id" bigint PRIMARY KEY NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "bans" (
	"telegram_id" bigint PRIMARY KEY NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "forgotten_people" (
	"person_id" integer PRIMARY KEY NOT NULL,
	"forgotten_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "feedback" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "feedback_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"person_id" integer NOT NULL,
	"message_id" bigint,
	"reply_id" text,
	"model" text NOT NULL,
	"rating" text NOT NULL,
	"comment" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "feedback_message" UNIQUE("person_id","message_id"),
	CONSTRAINT "feedback_reply" UNIQUE("person_id","reply_id"),
	CONSTRAINT "feedback_rating" CHECK ("feedback"."rating" in ('up', 'down')),
	CONSTRAINT "feedback_of_one_answer" CHECK (num_nonnulls("feedback"."message_id", "feedback"."reply_id") <= 1)
);
--> statement-breakpoint
CREATE TABLE "limit_counters" (
	"scope" text PRIMARY KEY NOT NULL,
	"minute_began_at" timestamp with time zone NOT NULL,
	"minute_requests" integer DEFAULT 0 NOT NULL,
	"day" date NOT NULL,
	"day_tokens" bigint DEFAULT 0 NOT NULL,
	"day_pictures" integer DEFAULT 0 NOT NULL,
	"held_tokens" bigint DEFAULT 0 NOT NULL,
	"held_pictures" integer DEFAULT 0 NOT NULL,
	"works" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "limit_counters_amounts" CHECK ("limit_counters"."minute_requests" >= 0 and "limit_counters"."day_tokens" >= 0 and "limit_counters"."day_pictures" >= 0)
);
--> statement-breakpoint
CREATE TABLE "limit_holds" (
	"id" text PRIMARY KEY NOT NULL,
	"scopes" text[] NOT NULL,
	"tokens" bigint[] NOT NULL,
	"pictures" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "limit_holds_scopes" CHECK (cardinality("limit_holds"."scopes") = cardinality("limit_holds"."tokens"))
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "last_used_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "last_used_route" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "last_used_network" text;--> statement-breakpoint
ALTER TABLE "people" ADD COLUMN "plan" text;--> statement-breakpoint
ALTER TABLE "usage" ADD COLUMN "cost_usd" numeric(18, 9);--> statement-breakpoint
ALTER TABLE "forgotten_people" ADD CONSTRAINT "forgotten_people_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feedback" ADD CONSTRAINT "feedback_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feedback" ADD CONSTRAINT "feedback_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "forgotten_people_time" ON "forgotten_people" USING btree ("forgotten_at");--> statement-breakpoint
CREATE INDEX "feedback_time" ON "feedback" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "feedback_by_message" ON "feedback" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "limit_counters_day" ON "limit_counters" USING btree ("day");--> statement-breakpoint
CREATE INDEX "limit_holds_expiry" ON "limit_holds" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "api_keys_person" ON "api_keys" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "messages_time" ON "messages" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "messages_person" ON "messages" USING btree ("person_id") WHERE "messages"."person_id" is not null;--> statement-breakpoint
CREATE INDEX "threads_person" ON "threads" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "drawings_person" ON "drawings" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "choices_person" ON "choices" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "usage_time" ON "usage" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "usage_reply" ON "usage" USING btree ("reply_id");--> statement-breakpoint
-- Works off orders one after the other, in one statement, so that no two processes ever count the same budget at once.
-- An order is one of:
--   {"kind": "take", "hold": id, "tokens": least, "more": wished beyond, "pictures": n, "scopes":
--     [{"scope": name, "requests": a minute, "tokens": a day, "pictures": a day, "atOnce": n}]} (a limit that is left out is none)
--   {"kind": "settle", "hold": id, "tokens": used, "pictures": made, "scopes": [{"scope": name}]}
--   {"kind": "renew", "holds": [id]}
--   {"kind": "expire"}
-- The answer has one entry an order: null, or for "take" one standing a scope, as it was before; "refusal" says why nothing was taken.
-- Whoever changes a hold or its sums has locked the rows of all its scopes.
CREATE FUNCTION "use_limits"(orders jsonb, moment timestamp with time zone, lease interval) RETURNS jsonb LANGUAGE plpgsql AS $$
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
          works = greatest(0, c.works - 1)
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
    IF entry->>'kind' = 'settle' THEN
      DELETE FROM limit_holds WHERE id = entry->>'hold' RETURNING * INTO hold;
      IF FOUND THEN
        UPDATE limit_counters c SET
          day_tokens = c.day_tokens + wished_tokens,
          day_pictures = c.day_pictures + wished_pictures,
          held_tokens = greatest(0, c.held_tokens - u.tokens),
          held_pictures = greatest(0, c.held_pictures - hold.pictures),
          works = greatest(0, c.works - 1)
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
    FOR part IN SELECT value FROM jsonb_array_elements(entry->'scopes') LOOP
      SELECT * INTO counter FROM limit_counters WHERE scope = part->>'scope';
      IF counter.minute_requests = 0 OR counter.minute_began_at <= moment - interval '1 minute' THEN
        counter.minute_requests := 0;
        counter.minute_began_at := moment;
      END IF;
      refusal := CASE
        WHEN wished_tokens > 0 AND counter.day_tokens + wished_tokens > (part->>'tokens')::bigint THEN 'tokens'
        WHEN wished_pictures > 0 AND counter.day_pictures + wished_pictures > (part->>'pictures')::integer THEN 'pictures'
        WHEN counter.minute_requests >= (part->>'requests')::integer THEN 'requests'
        WHEN counter.works >= (part->>'atOnce')::integer THEN 'atOnce'
        WHEN wished_tokens > 0 AND counter.day_tokens + counter.held_tokens + wished_tokens > (part->>'tokens')::bigint THEN 'heldTokens'
        WHEN wished_pictures > 0 AND counter.day_pictures + counter.held_pictures + wished_pictures > (part->>'pictures')::integer
          THEN 'heldPictures'
      END;
      is_refused := is_refused OR refusal IS NOT NULL;
      taken_tokens := greatest(0, least(
        wished_tokens + (entry->>'more')::bigint,
        coalesce((part->>'tokens')::bigint - counter.day_tokens - counter.held_tokens, wished_tokens)
      ));
      held_tokens_of := held_tokens_of || taken_tokens;
      standings := standings || jsonb_build_object(
        'refusal', refusal,
        'requests', counter.minute_requests,
        'minuteBeganAt', extract(epoch FROM counter.minute_began_at) * 1000,
        'tokens', counter.day_tokens + counter.held_tokens,
        'pictures', counter.day_pictures + counter.held_pictures
      );
    END LOOP;
    IF NOT is_refused THEN
      INSERT INTO limit_holds (id, scopes, tokens, pictures, expires_at)
        SELECT entry->>'hold', array_agg(s.value->>'scope' ORDER BY s.at), held_tokens_of, wished_pictures, moment + lease
        FROM jsonb_array_elements(entry->'scopes') WITH ORDINALITY s(value, at)
        RETURNING * INTO hold;
      UPDATE limit_counters c SET
        minute_began_at = CASE WHEN c.minute_requests = 0 OR c.minute_began_at <= moment - interval '1 minute'
          THEN moment ELSE c.minute_began_at END,
        minute_requests = CASE WHEN c.minute_began_at <= moment - interval '1 minute' THEN 1 ELSE c.minute_requests + 1 END,
        held_tokens = c.held_tokens + u.tokens,
        held_pictures = c.held_pictures + wished_pictures,
        works = c.works + 1
        FROM unnest(hold.scopes, hold.tokens) u(scope, tokens) WHERE c.scope = u.scope;
    END IF;
    answers := answers || jsonb_build_array(standings);
  END LOOP;
  RETURN answers;
END;
$$;
