-- Renames what was not in the words of the field.
ALTER TABLE "people" RENAME TO "users";--> statement-breakpoint
ALTER TABLE "allowed_people" RENAME TO "allowed_users";--> statement-breakpoint
ALTER TABLE "forgotten_people" RENAME TO "forgotten_users";--> statement-breakpoint
ALTER TABLE "announcements" RENAME TO "broadcasts";--> statement-breakpoint
ALTER TABLE "announcement_recipients" RENAME TO "broadcast_recipients";--> statement-breakpoint
ALTER TABLE "threads" RENAME TO "conversations";--> statement-breakpoint
ALTER TABLE "group_talk" RENAME TO "group_messages";--> statement-breakpoint
ALTER TABLE "drawings" RENAME TO "image_jobs";--> statement-breakpoint
ALTER TABLE "pictures" RENAME TO "images";--> statement-breakpoint
ALTER TABLE "update_lanes" RENAME TO "chat_queue_owners";--> statement-breakpoint
ALTER TABLE "choices" RENAME TO "callback_actions";--> statement-breakpoint
ALTER TABLE "limit_holds" RENAME TO "limit_reservations";--> statement-breakpoint
ALTER TABLE "storage_pace" RENAME TO "storage_rate_limits";--> statement-breakpoint
ALTER TABLE "api_keys" RENAME COLUMN "person_id" TO "user_id";--> statement-breakpoint
ALTER TABLE "broadcast_recipients" RENAME COLUMN "announcement_id" TO "broadcast_id";--> statement-breakpoint
ALTER TABLE "broadcast_recipients" RENAME COLUMN "person_id" TO "user_id";--> statement-breakpoint
ALTER TABLE "broadcasts" RENAME COLUMN "told_at" TO "notified_at";--> statement-breakpoint
ALTER TABLE "budget_notices" RENAME COLUMN "person_id" TO "user_id";--> statement-breakpoint
ALTER TABLE "callback_actions" RENAME COLUMN "person_id" TO "user_id";--> statement-breakpoint
ALTER TABLE "callback_actions" RENAME COLUMN "choice" TO "action";--> statement-breakpoint
ALTER TABLE "chat_queue_owners" RENAME COLUMN "lane" TO "chat_queue";--> statement-breakpoint
ALTER TABLE "conversations" RENAME COLUMN "person_id" TO "user_id";--> statement-breakpoint
ALTER TABLE "feedback" RENAME COLUMN "person_id" TO "user_id";--> statement-breakpoint
ALTER TABLE "files" RENAME COLUMN "person_id" TO "user_id";--> statement-breakpoint
ALTER TABLE "forgotten_users" RENAME COLUMN "person_id" TO "user_id";--> statement-breakpoint
ALTER TABLE "group_messages" RENAME COLUMN "speaker_id" TO "author_id";--> statement-breakpoint
ALTER TABLE "group_messages" RENAME COLUMN "speaker_name" TO "author_name";--> statement-breakpoint
ALTER TABLE "group_messages" RENAME COLUMN "said_at" TO "sent_at";--> statement-breakpoint
ALTER TABLE "groups" RENAME COLUMN "remembers_talk" TO "stores_recent_messages";--> statement-breakpoint
ALTER TABLE "image_jobs" RENAME COLUMN "person_id" TO "user_id";--> statement-breakpoint
ALTER TABLE "image_jobs" RENAME COLUMN "drawing_order" TO "options";--> statement-breakpoint
ALTER TABLE "images" RENAME COLUMN "drawing_id" TO "image_job_id";--> statement-breakpoint
ALTER TABLE "limit_counters" RENAME COLUMN "day_pictures" TO "day_images";--> statement-breakpoint
ALTER TABLE "limit_reservations" RENAME COLUMN "pictures" TO "images";--> statement-breakpoint
ALTER TABLE "messages" RENAME COLUMN "thread_id" TO "conversation_id";--> statement-breakpoint
ALTER TABLE "messages" RENAME COLUMN "person_id" TO "user_id";--> statement-breakpoint
ALTER TABLE "personas" RENAME COLUMN "person_id" TO "user_id";--> statement-breakpoint
ALTER TABLE "tool_permissions" RENAME COLUMN "thread_id" TO "conversation_id";--> statement-breakpoint
ALTER TABLE "tool_permissions" RENAME COLUMN "person_id" TO "user_id";--> statement-breakpoint
ALTER TABLE "updates" RENAME COLUMN "lane" TO "chat_queue";--> statement-breakpoint
ALTER TABLE "updates" RENAME COLUMN "tries" TO "attempts";--> statement-breakpoint
ALTER TABLE "updates" RENAME COLUMN "set_aside_at" TO "failed_at";--> statement-breakpoint
ALTER TABLE "upload_volumes" RENAME COLUMN "sender" TO "client";--> statement-breakpoint
ALTER TABLE "usage" RENAME COLUMN "person_id" TO "user_id";--> statement-breakpoint
ALTER TABLE "usage" RENAME COLUMN "picture_count" TO "image_count";--> statement-breakpoint
ALTER TABLE "allowed_users" RENAME CONSTRAINT "allowed_people_pkey" TO "allowed_users_pkey";--> statement-breakpoint
ALTER TABLE "api_keys" RENAME CONSTRAINT "api_keys_person_id_people_id_fk" TO "api_keys_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "broadcast_recipients" RENAME CONSTRAINT "announcement_recipients_state" TO "broadcast_recipients_state";--> statement-breakpoint
ALTER TABLE "broadcast_recipients" RENAME CONSTRAINT "announcement_recipients_announcement_id_announcements_id_fk" TO "broadcast_recipients_broadcast_id_broadcasts_id_fk";--> statement-breakpoint
ALTER TABLE "broadcast_recipients" RENAME CONSTRAINT "announcement_recipients_person_id_people_id_fk" TO "broadcast_recipients_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "broadcast_recipients" RENAME CONSTRAINT "announcement_recipients_announcement_id_person_id_pk" TO "broadcast_recipients_broadcast_id_user_id_pk";--> statement-breakpoint
ALTER TABLE "broadcasts" RENAME CONSTRAINT "announcements_counts" TO "broadcasts_counts";--> statement-breakpoint
ALTER TABLE "broadcasts" RENAME CONSTRAINT "announcements_state" TO "broadcasts_state";--> statement-breakpoint
ALTER TABLE "broadcasts" RENAME CONSTRAINT "announcements_pkey" TO "broadcasts_pkey";--> statement-breakpoint
ALTER TABLE "broadcasts" RENAME CONSTRAINT "announcements_source" TO "broadcasts_source";--> statement-breakpoint
ALTER TABLE "budget_notices" RENAME CONSTRAINT "budget_notices_person_id_people_id_fk" TO "budget_notices_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "callback_actions" RENAME CONSTRAINT "choices_one_place" TO "callback_actions_one_message";--> statement-breakpoint
ALTER TABLE "callback_actions" RENAME CONSTRAINT "choices_person_id_people_id_fk" TO "callback_actions_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "callback_actions" RENAME CONSTRAINT "choices_pkey" TO "callback_actions_pkey";--> statement-breakpoint
ALTER TABLE "chat_queue_owners" RENAME CONSTRAINT "update_lanes_bot_id_lane_pk" TO "chat_queue_owners_bot_id_chat_queue_pk";--> statement-breakpoint
ALTER TABLE "conversations" RENAME CONSTRAINT "threads_one_guise" TO "conversations_one_prompt_source";--> statement-breakpoint
ALTER TABLE "conversations" RENAME CONSTRAINT "threads_head_id_messages_id_fk" TO "conversations_head_id_messages_id_fk";--> statement-breakpoint
ALTER TABLE "conversations" RENAME CONSTRAINT "threads_instructions_by_people_id_fk" TO "conversations_instructions_by_users_id_fk";--> statement-breakpoint
ALTER TABLE "conversations" RENAME CONSTRAINT "threads_person_id_people_id_fk" TO "conversations_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "conversations" RENAME CONSTRAINT "threads_pkey" TO "conversations_pkey";--> statement-breakpoint
ALTER TABLE "feedback" RENAME CONSTRAINT "feedback_person_id_people_id_fk" TO "feedback_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "file_texts" RENAME CONSTRAINT "file_texts_user_id_people_id_fk" TO "file_texts_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "files" RENAME CONSTRAINT "files_person_id_people_id_fk" TO "files_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "forgotten_users" RENAME CONSTRAINT "forgotten_people_person_id_people_id_fk" TO "forgotten_users_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "forgotten_users" RENAME CONSTRAINT "forgotten_people_pkey" TO "forgotten_users_pkey";--> statement-breakpoint
ALTER TABLE "group_messages" RENAME CONSTRAINT "group_talk_topic" TO "group_messages_topic";--> statement-breakpoint
ALTER TABLE "group_messages" RENAME CONSTRAINT "group_talk_chat_id_groups_chat_id_fk" TO "group_messages_chat_id_groups_chat_id_fk";--> statement-breakpoint
ALTER TABLE "group_messages" RENAME CONSTRAINT "group_talk_chat_id_telegram_message_id_pk" TO "group_messages_chat_id_telegram_message_id_pk";--> statement-breakpoint
ALTER TABLE "idempotent_requests" RENAME CONSTRAINT "idempotent_requests_user_id_people_id_fk" TO "idempotent_requests_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "image_jobs" RENAME CONSTRAINT "drawings_person_id_people_id_fk" TO "image_jobs_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "image_jobs" RENAME CONSTRAINT "drawings_pkey" TO "image_jobs_pkey";--> statement-breakpoint
ALTER TABLE "image_jobs" RENAME CONSTRAINT "drawings_update" TO "image_jobs_update";--> statement-breakpoint
ALTER TABLE "images" RENAME CONSTRAINT "pictures_not_negative" TO "images_not_negative";--> statement-breakpoint
ALTER TABLE "images" RENAME CONSTRAINT "pictures_drawing_id_drawings_id_fk" TO "images_image_job_id_image_jobs_id_fk";--> statement-breakpoint
ALTER TABLE "images" RENAME CONSTRAINT "pictures_pkey" TO "images_pkey";--> statement-breakpoint
ALTER TABLE "images" RENAME CONSTRAINT "pictures_position" TO "images_position";--> statement-breakpoint
ALTER TABLE "library_chunks" RENAME CONSTRAINT "library_chunks_user_id_people_id_fk" TO "library_chunks_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "limit_reservations" RENAME CONSTRAINT "limit_holds_amounts" TO "limit_reservations_amounts";--> statement-breakpoint
ALTER TABLE "limit_reservations" RENAME CONSTRAINT "limit_holds_usd" TO "limit_reservations_usd";--> statement-breakpoint
ALTER TABLE "limit_reservations" RENAME CONSTRAINT "limit_holds_id_scope_pk" TO "limit_reservations_id_scope_pk";--> statement-breakpoint
ALTER TABLE "memories" RENAME CONSTRAINT "memories_author_id_people_id_fk" TO "memories_author_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "memories" RENAME CONSTRAINT "memories_user_id_people_id_fk" TO "memories_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "messages" RENAME CONSTRAINT "messages_thread_id_threads_id_fk" TO "messages_conversation_id_conversations_id_fk";--> statement-breakpoint
ALTER TABLE "messages" RENAME CONSTRAINT "messages_person_id_people_id_fk" TO "messages_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "messages" RENAME CONSTRAINT "messages_thread_id" TO "messages_conversation_id";--> statement-breakpoint
ALTER TABLE "personas" RENAME CONSTRAINT "personas_person_id_people_id_fk" TO "personas_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "responses" RENAME CONSTRAINT "responses_user_id_people_id_fk" TO "responses_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "sessions" RENAME CONSTRAINT "sessions_user_id_people_id_fk" TO "sessions_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "sign_in_codes" RENAME CONSTRAINT "sign_in_codes_user_id_people_id_fk" TO "sign_in_codes_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "storage_rate_limits" RENAME CONSTRAINT "storage_pace_pkey" TO "storage_rate_limits_pkey";--> statement-breakpoint
ALTER TABLE "tasks" RENAME CONSTRAINT "tasks_user_id_people_id_fk" TO "tasks_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "tool_permissions" RENAME CONSTRAINT "tool_permissions_thread_id_threads_id_fk" TO "tool_permissions_conversation_id_conversations_id_fk";--> statement-breakpoint
ALTER TABLE "tool_permissions" RENAME CONSTRAINT "tool_permissions_person_id_people_id_fk" TO "tool_permissions_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "tool_permissions" RENAME CONSTRAINT "tool_permissions_thread_id_person_id_subject_pk" TO "tool_permissions_conversation_id_user_id_subject_pk";--> statement-breakpoint
ALTER TABLE "upload_volumes" RENAME CONSTRAINT "upload_volumes_sender_hour_pk" TO "upload_volumes_client_hour_pk";--> statement-breakpoint
ALTER TABLE "usage" RENAME CONSTRAINT "usage_pictures" TO "usage_images";--> statement-breakpoint
ALTER TABLE "users" RENAME CONSTRAINT "people_role" TO "users_role";--> statement-breakpoint
ALTER TABLE "users" RENAME CONSTRAINT "people_pkey" TO "users_pkey";--> statement-breakpoint
ALTER TABLE "users" RENAME CONSTRAINT "people_telegram_id_unique" TO "users_telegram_id_unique";--> statement-breakpoint
ALTER INDEX "api_keys_person" RENAME TO "api_keys_user";--> statement-breakpoint
ALTER INDEX "announcement_recipients_next" RENAME TO "broadcast_recipients_next";--> statement-breakpoint
ALTER INDEX "announcement_recipients_person" RENAME TO "broadcast_recipients_user";--> statement-breakpoint
ALTER INDEX "announcements_untold" RENAME TO "broadcasts_unnotified";--> statement-breakpoint
ALTER INDEX "announcements_one_at_a_time" RENAME TO "broadcasts_one_at_a_time";--> statement-breakpoint
ALTER INDEX "budget_notices_person" RENAME TO "budget_notices_user";--> statement-breakpoint
ALTER INDEX "choices_expiry" RENAME TO "callback_actions_expiry";--> statement-breakpoint
ALTER INDEX "choices_person" RENAME TO "callback_actions_user";--> statement-breakpoint
ALTER INDEX "threads_chat" RENAME TO "conversations_chat";--> statement-breakpoint
ALTER INDEX "threads_head" RENAME TO "conversations_head";--> statement-breakpoint
ALTER INDEX "threads_instructions_by" RENAME TO "conversations_instructions_by";--> statement-breakpoint
ALTER INDEX "threads_person" RENAME TO "conversations_user";--> statement-breakpoint
ALTER INDEX "threads_one_current" RENAME TO "conversations_one_current";--> statement-breakpoint
ALTER INDEX "files_person" RENAME TO "files_user";--> statement-breakpoint
ALTER INDEX "forgotten_people_time" RENAME TO "forgotten_users_time";--> statement-breakpoint
ALTER INDEX "group_talk_speaker" RENAME TO "group_messages_author";--> statement-breakpoint
ALTER INDEX "group_talk_place" RENAME TO "group_messages_chat";--> statement-breakpoint
ALTER INDEX "group_talk_time" RENAME TO "group_messages_time";--> statement-breakpoint
ALTER INDEX "groups_remembering" RENAME TO "groups_storing_messages";--> statement-breakpoint
ALTER INDEX "drawings_time" RENAME TO "image_jobs_time";--> statement-breakpoint
ALTER INDEX "drawings_unended" RENAME TO "image_jobs_unended";--> statement-breakpoint
ALTER INDEX "drawings_person" RENAME TO "image_jobs_user";--> statement-breakpoint
ALTER INDEX "limit_holds_scope" RENAME TO "limit_reservations_scope";--> statement-breakpoint
ALTER INDEX "messages_owed" RENAME TO "messages_unsettled";--> statement-breakpoint
ALTER INDEX "messages_person" RENAME TO "messages_user";--> statement-breakpoint
ALTER INDEX "tool_permissions_person" RENAME TO "tool_permissions_user";--> statement-breakpoint
ALTER INDEX "usage_person_time" RENAME TO "usage_user_time";--> statement-breakpoint
ALTER SEQUENCE "announcements_id_seq" RENAME TO "broadcasts_id_seq";--> statement-breakpoint
ALTER SEQUENCE "threads_id_seq" RENAME TO "conversations_id_seq";--> statement-breakpoint
ALTER SEQUENCE "drawings_id_seq" RENAME TO "image_jobs_id_seq";--> statement-breakpoint
ALTER SEQUENCE "pictures_id_seq" RENAME TO "images_id_seq";--> statement-breakpoint
ALTER SEQUENCE "people_id_seq" RENAME TO "users_id_seq";--> statement-breakpoint
-- Since Postgres 18 these have names, too. Tables that an operator has added stay as they are.
DO $$
DECLARE
  named record;
BEGIN
  FOR named IN
    SELECT relname, conname, relname || '_' || attname || '_not_null' AS new_name
      FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
      WHERE contype = 'n' AND connamespace = 'public'::regnamespace AND conname <> relname || '_' || attname || '_not_null'
        AND relname IN ('allowed_users', 'api_keys', 'broadcast_recipients', 'broadcasts', 'callback_actions', 'chat_queue_owners', 'conversations',
          'feedback', 'forgotten_users', 'group_messages', 'groups', 'image_jobs', 'images', 'limit_counters', 'limit_reservations', 'messages',
          'personas', 'storage_rate_limits', 'tool_permissions', 'updates', 'upload_volumes', 'usage', 'users')
  LOOP
    EXECUTE format('ALTER TABLE %I RENAME CONSTRAINT %I TO %I', named.relname, named.conname, named.new_name);
  END LOOP;
END $$;
--> statement-breakpoint
-- Reserved requests contain a row of the usage ledger by its column names.
UPDATE "limit_reservations" SET "usage" = ("usage" - 'person_id' - 'picture_count')
  || jsonb_build_object('user_id', "usage" -> 'person_id', 'image_count', coalesce("usage" -> 'picture_count', '0')) WHERE "usage" ? 'person_id';
--> statement-breakpoint
-- Names of scopes and of actions.
UPDATE "limit_counters" SET "scope" = 'user:' || substr("scope", 8) WHERE "scope" LIKE 'person:%';--> statement-breakpoint
UPDATE "limit_reservations" SET "scope" = 'user:' || substr("scope", 8) WHERE "scope" LIKE 'person:%';--> statement-breakpoint
UPDATE "budgets" SET "scope" = 'user:' || substr("scope", 8) WHERE "scope" LIKE 'person:%';--> statement-breakpoint
UPDATE "budget_notices" SET "scope" = 'user:' || substr("scope", 8) WHERE "scope" LIKE 'person:%';--> statement-breakpoint
UPDATE "upload_volumes" SET "client" = 'user:' || substr("client", 8) WHERE "client" LIKE 'person:%';--> statement-breakpoint
ALTER TABLE "admin_actions" DROP CONSTRAINT "admin_actions_action";--> statement-breakpoint
UPDATE "admin_actions" SET "action" = CASE "action" WHEN 'announce' THEN 'broadcast' ELSE replace("action", '-announcement', '-broadcast') END
  WHERE "action" = 'announce' OR "action" LIKE '%-announcement';--> statement-breakpoint
UPDATE "admin_actions" SET "subject" = 'user:' || substr("subject", 8) WHERE "subject" LIKE 'person:%' AND "action" IN ('set-budget', 'raise-budget');--> statement-breakpoint
ALTER TABLE "admin_actions" ADD CONSTRAINT "admin_actions_action" CHECK ("admin_actions"."action" in ('ban', 'unban', 'allow', 'disallow', 'take-down', 'plan', 'broadcast', 'pause-broadcast', 'resume-broadcast', 'cancel-broadcast', 'create-key', 'change-key', 'rotate-key', 'revoke-key', 'set-budget', 'raise-budget'));--> statement-breakpoint
DROP TRIGGER "people_take_their_usage" ON "users";--> statement-breakpoint
DROP TRIGGER "library_message_added" ON "messages";--> statement-breakpoint
DROP TRIGGER "library_message_changed" ON "messages";--> statement-breakpoint
DROP TRIGGER "library_attachment_added" ON "attachment_texts";--> statement-breakpoint
DROP TRIGGER "library_file_added" ON "files";--> statement-breakpoint
DROP TRIGGER "library_file_changed" ON "files";--> statement-breakpoint
DROP TRIGGER "library_conversation_moved" ON "conversations";--> statement-breakpoint
DROP FUNCTION "delete_usage_of_person"();--> statement-breakpoint
DROP FUNCTION "note_library_message"();--> statement-breakpoint
DROP FUNCTION "note_library_attachment"();--> statement-breakpoint
DROP FUNCTION "note_library_file"();--> statement-breakpoint
DROP FUNCTION "note_library_conversation"();--> statement-breakpoint
DROP FUNCTION "reserve_limits"(jsonb, jsonb, timestamp with time zone, interval);--> statement-breakpoint
DROP FUNCTION "ledger_dollars"(text, timestamp with time zone);--> statement-breakpoint
DROP TYPE "limit_use";--> statement-breakpoint
-- A counter with the sums of its reservations.
CREATE TYPE "limit_use" AS (
	"scope" text,
	"minute_began_at" timestamp with time zone,
	"requests" bigint,
	"at_once" bigint,
	"day_tokens" bigint,
	"reserved_tokens" bigint,
	"day_images" bigint,
	"reserved_images" bigint,
	"day_usd" numeric,
	"month_usd" numeric,
	"total_usd" numeric,
	"reserved_usd" numeric
);
--> statement-breakpoint
-- Returns what a scope has spent since a moment, by the usage ledger.
CREATE FUNCTION "ledger_dollars"(scope text, since timestamp with time zone) RETURNS numeric LANGUAGE plpgsql STABLE AS $$
DECLARE
  kind CONSTANT text := split_part(scope, ':', 1);
  owner CONSTANT bigint := nullif(split_part(scope, ':', 2), '')::bigint;
  spent numeric;
BEGIN
  IF kind = 'user' THEN
    SELECT sum(cost_usd) INTO spent FROM usage WHERE user_id = owner AND created_at >= since;
  ELSIF kind = 'key' THEN
    SELECT sum(cost_usd) INTO spent FROM usage
      WHERE user_id = (SELECT user_id FROM api_keys WHERE id = owner) AND key_id = owner AND created_at >= since;
  ELSIF kind = 'chat' THEN
    SELECT sum(cost_usd) INTO spent FROM usage WHERE chat_id = owner AND created_at >= since;
  ELSIF kind = 'instance' THEN
    SELECT sum(cost_usd) INTO spent FROM usage WHERE created_at >= since;
  END IF;
  RETURN least(coalesce(spent, 0), 999999999);
END;
$$;
--> statement-breakpoint
-- Records what ended requests used and cost, with their rows of the usage ledger, then makes reservations in the order given, each in all
-- of its scopes or in none. Returns for each reservation the usage of every scope before it, why it is refused, and the dollars that are
-- reserved; and what the settled scopes have spent.
CREATE FUNCTION "reserve_limits"(settlements jsonb, reservations jsonb, moment timestamp with time zone, lease interval) RETURNS jsonb LANGUAGE plpgsql
  -- One plan, whatever the statistics of tables that change with every request say: a few rows by key. Planning would take longer than
  -- the work, and plain index scans mark the dead rows that they find, so that later ones skip them.
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
  new_rows limit_reservations[] := '{}';
  new_row limit_reservations;
  uses_before limit_use[];
  rows_before limit_reservations[];
  reservation record;
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
  -- Locks the counters, always in the same order, so two processes never deadlock. Begins new months, days and minutes.
  INSERT INTO limit_counters AS counter (scope, minute_began_at, day)
    SELECT scope, moment, today FROM (
      SELECT s->>'scope' AS scope FROM jsonb_array_elements(reservations) r, jsonb_array_elements(r->'scopes') s
      UNION
      SELECT reserved.scope FROM limit_reservations reserved JOIN jsonb_array_elements(settlements) s ON reserved.id = s->>'id'
    ) named ORDER BY scope
    ON CONFLICT (scope) DO UPDATE SET
      month = CASE WHEN counter.month < this_month THEN this_month ELSE counter.month END,
      month_usd = CASE WHEN counter.month < this_month THEN 0 ELSE counter.month_usd END,
      day = greatest(counter.day, today),
      day_tokens = CASE WHEN counter.day < today THEN 0 ELSE counter.day_tokens END,
      day_images = CASE WHEN counter.day < today THEN 0 ELSE counter.day_images END,
      day_usd = CASE WHEN counter.day < today THEN 0 ELSE counter.day_usd END,
      -- A minute that begins in the future is one of before the clock was set back.
      minute_requests = CASE WHEN abs(extract(epoch FROM moment - counter.minute_began_at)) >= 60 THEN 0 ELSE counter.minute_requests END,
      minute_began_at = CASE WHEN counter.minute_requests = 0 OR abs(extract(epoch FROM moment - counter.minute_began_at)) >= 60
        THEN moment ELSE counter.minute_began_at END;

  -- A settlement whose reservation is gone was recorded before.
  WITH settled AS (
    DELETE FROM limit_reservations reserved USING jsonb_array_elements(settlements) s WHERE reserved.id = s->>'id'
      RETURNING reserved.id, reserved.scope, limit_amount(s->'tokens', 0, largest_amount) AS tokens, limit_amount(s->'images', 0, largest_integer) AS images,
        CASE WHEN reserved.usd IS NOT NULL THEN limit_dollars(s->'usd') END AS usd, s->'usage' AS entry
  ), written AS (
    -- The rows of users who were deleted meanwhile are skipped; the lock prevents a deletion between the check and the insert.
    INSERT INTO usage SELECT made.* FROM (SELECT DISTINCT ON (id) entry FROM settled WHERE jsonb_typeof(entry) = 'object') ended
        CROSS JOIN LATERAL jsonb_populate_record(null::usage, ended.entry || jsonb_build_object('created_at', moment)) made
        JOIN users ON users.id = made.user_id
      FOR KEY SHARE OF users
    ON CONFLICT (id) DO NOTHING
  ), used AS (
    SELECT scope, sum(tokens) AS tokens, sum(images) AS images, sum(usd) AS usd FROM settled GROUP BY scope
  ), counted AS (
    UPDATE limit_counters counter SET
        day_tokens = least(largest_amount, counter.day_tokens + used.tokens),
        day_images = least(largest_integer, counter.day_images + used.images),
        day_usd = least(largest_usd, counter.day_usd + coalesce(used.usd, 0)),
        month_usd = least(largest_usd, counter.month_usd + coalesce(used.usd, 0)),
        total_usd = least(largest_usd, counter.total_usd + coalesce(used.usd, 0))
      FROM used WHERE counter.scope = used.scope
      RETURNING counter.scope, used.usd, counter.day_usd, counter.month_usd, counter.total_usd
  )
  SELECT jsonb_object_agg(scope, jsonb_build_object('dayUsd', day_usd, 'monthUsd', month_usd, 'totalUsd', total_usd)) FILTER (WHERE usd IS NOT NULL)
    INTO spent FROM counted;

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
  known_ids := ARRAY(SELECT DISTINCT reserved.id FROM limit_reservations reserved JOIN jsonb_array_elements(reservations) r ON reserved.id = r->>'id');
  -- A reservation in dollars counts until it is settled, even if it has expired: the provider may have charged for the request.
  uses := ARRAY(
    SELECT ROW(counter.scope, counter.minute_began_at, counter.minute_requests, sums.at_once,
        counter.day_tokens, sums.tokens, counter.day_images, sums.images,
        counter.day_usd, counter.month_usd, counter.total_usd, sums.usd)::limit_use
      FROM limit_counters counter, LATERAL (
        SELECT count(*) FILTER (WHERE reserved.expires_at > moment) AS at_once,
            coalesce(sum(reserved.tokens) FILTER (WHERE reserved.expires_at > moment), 0) AS tokens,
            coalesce(sum(reserved.images) FILTER (WHERE reserved.expires_at > moment), 0) AS images,
            coalesce(sum(reserved.usd), 0) AS usd
          FROM limit_reservations reserved WHERE reserved.scope = counter.scope
      ) sums
      WHERE counter.scope = ANY(names) ORDER BY counter.scope
  );

  FOR reservation IN SELECT * FROM jsonb_to_recordset(reservations)
    AS r(id text, tokens jsonb, more jsonb, images jsonb, usd jsonb, "mostUsd" jsonb, usage jsonb, scopes jsonb)
  LOOP
    uses_before := uses;
    rows_before := new_rows;
    answer := '{}';
    is_refused := false;
    -- 0 is a request without tokens or images, or free of charge. Anything else wants at least one, so a limit that is used up refuses it.
    wanted_tokens := CASE WHEN reservation.tokens = '0' THEN 0 ELSE limit_amount(reservation.tokens, 1, largest_amount) END;
    wanted_images := CASE WHEN reservation.images = '0' THEN 0 ELSE limit_amount(reservation.images, 1, largest_integer) END;
    most_tokens := wanted_tokens + limit_amount(reservation.more, 0, largest_amount);
    wanted_usd := CASE WHEN reservation.usd = '0' THEN 0 ELSE greatest(smallest_usd, limit_dollars(reservation.usd)) END;
    granted_usd := greatest(wanted_usd, limit_dollars(reservation."mostUsd"));
    FOR limits IN SELECT * FROM jsonb_to_recordset(reservation.scopes)
      AS s(scope text, requests bigint, "atOnce" bigint, tokens bigint, images bigint, "usdPerDay" numeric, "usdPerMonth" numeric, "usdTotal" numeric)
    LOOP
      place := array_position(names, limits.scope);
      use := uses[place];
      has_budget := coalesce(limits."usdPerDay", limits."usdPerMonth", limits."usdTotal") IS NOT NULL;
      left_usd := least(limits."usdPerDay" - use.day_usd, limits."usdPerMonth" - use.month_usd, limits."usdTotal" - use.total_usd) - use.reserved_usd;
      refusal := CASE
        -- It is repeated because the answer was lost.
        WHEN reservation.id = ANY(known_ids) THEN NULL
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
      new_rows := new_rows || ROW(reservation.id, limits.scope, granted_tokens, wanted_images, moment + lease,
        CASE WHEN has_budget THEN 0 END, CASE WHEN has_budget THEN reservation.usage END)::limit_reservations;
      use.requests := use.requests + 1;
      use.at_once := use.at_once + 1;
      use.reserved_tokens := use.reserved_tokens + granted_tokens;
      use.reserved_images := use.reserved_images + wanted_images;
      uses[place] := use;
    END LOOP;
    IF is_refused OR reservation.id = ANY(known_ids) THEN
      uses := uses_before;
      new_rows := rows_before;
      SELECT known.usd INTO granted_usd FROM limit_reservations known WHERE known.id = reservation.id AND known.usd IS NOT NULL LIMIT 1;
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

  INSERT INTO limit_reservations SELECT * FROM unnest(new_rows);
  UPDATE limit_counters counter SET minute_requests = used.requests FROM unnest(uses) used
    WHERE counter.scope = used.scope AND counter.minute_requests < used.requests;
  RETURN jsonb_build_object('reservations', answers, 'spent', coalesce(spent, '{}'));
END;
$$;
--> statement-breakpoint
CREATE FUNCTION "delete_usage_of_user"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM usage WHERE user_id = OLD.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "users_delete_usage" AFTER DELETE ON "users" FOR EACH ROW EXECUTE FUNCTION "delete_usage_of_user"();
--> statement-breakpoint
-- Queues a message whose text is new or has changed for indexing. A changed text is not found until it is indexed again.
CREATE FUNCTION "queue_library_message"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM library_chunks WHERE message_id = NEW.id AND position IS NULL;
  END IF;
  IF NEW.content <> '' THEN
    INSERT INTO library_changes (message_id) VALUES (NEW.id);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "library_message_added" AFTER INSERT ON "messages" FOR EACH ROW
  WHEN (NEW.content <> '') EXECUTE FUNCTION queue_library_message();
--> statement-breakpoint
CREATE TRIGGER "library_message_changed" AFTER UPDATE OF "content" ON "messages" FOR EACH ROW
  WHEN (NEW.content IS DISTINCT FROM OLD.content) EXECUTE FUNCTION queue_library_message();
--> statement-breakpoint
-- Queues the text of a document or recording. It never changes; its chunks are deleted with it.
CREATE FUNCTION "queue_library_attachment"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO library_changes (message_id, position) VALUES (NEW.message_id, NEW.position);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "library_attachment_added" AFTER INSERT ON "attachment_texts" FOR EACH ROW
  EXECUTE FUNCTION queue_library_attachment();
--> statement-breakpoint
-- Queues a file that is complete, or has another name or owner.
CREATE FUNCTION "queue_library_file"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM library_chunks WHERE file_id = NEW.id;
  END IF;
  IF NEW.state = 'ready' AND NEW.user_id IS NOT NULL THEN
    INSERT INTO library_changes (file_id) VALUES (NEW.id);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "library_file_added" AFTER INSERT ON "files" FOR EACH ROW
  WHEN (NEW.state = 'ready') EXECUTE FUNCTION queue_library_file();
--> statement-breakpoint
CREATE TRIGGER "library_file_changed" AFTER UPDATE OF "name", "state", "user_id" ON "files" FOR EACH ROW
  WHEN ((NEW.name, NEW.state, NEW.user_id) IS DISTINCT FROM (OLD.name, OLD.state, OLD.user_id))
  EXECUTE FUNCTION queue_library_file();
--> statement-breakpoint
-- Queues all texts of a conversation that has moved, as those of a group that becomes a supergroup.
CREATE FUNCTION "queue_library_conversation"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM library_chunks WHERE message_id IN (SELECT id FROM messages WHERE conversation_id = NEW.id);
  INSERT INTO library_changes (message_id)
    SELECT id FROM messages WHERE conversation_id = NEW.id AND content <> '' ORDER BY id;
  INSERT INTO library_changes (message_id, position)
    SELECT message_id, position FROM attachment_texts JOIN messages ON messages.id = message_id WHERE conversation_id = NEW.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "library_conversation_moved" AFTER UPDATE OF "chat_id", "user_id" ON "conversations" FOR EACH ROW
  WHEN ((NEW.chat_id, NEW.user_id) IS DISTINCT FROM (OLD.chat_id, OLD.user_id) AND (NEW.chat_id > 0 OR NEW.chat_id <> OLD.chat_id))
  EXECUTE FUNCTION queue_library_conversation();
