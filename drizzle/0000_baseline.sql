CREATE TABLE "api_key_networks" (
	"key_id" integer NOT NULL,
	"network" text NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "api_key_networks_key_id_network_pk" PRIMARY KEY("key_id","network")
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "api_keys_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"hash" text NOT NULL,
	"prefix" text NOT NULL,
	"label" text NOT NULL,
	"is_universal" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"last_used_route" text,
	"last_used_network" text,
	"note" text,
	"expires_at" timestamp with time zone,
	"allowed_models" text[],
	"requests_per_minute" integer,
	"tokens_per_day" bigint,
	"at_once" integer,
	"paused_at" timestamp with time zone,
	"scope" text DEFAULT 'use' NOT NULL,
	"previous_hash" text,
	"previous_expires_at" timestamp with time zone,
	"admin_rules" text[] DEFAULT '{}' NOT NULL,
	CONSTRAINT "api_keys_hash_unique" UNIQUE("hash"),
	CONSTRAINT "api_keys_previous_hash_unique" UNIQUE("previous_hash"),
	CONSTRAINT "api_keys_hash" CHECK ("api_keys"."hash" ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "api_keys_previous_hash" CHECK ("api_keys"."previous_hash" ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "api_keys_scope" CHECK ("api_keys"."scope" in ('use', 'manage')),
	CONSTRAINT "api_keys_limits" CHECK ("api_keys"."requests_per_minute" > 0 and "api_keys"."tokens_per_day" > 0 and "api_keys"."at_once" > 0)
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "users_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"telegram_id" bigint,
	"role" text DEFAULT 'user' NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"plan" text,
	"unreachable_since" timestamp with time zone,
	CONSTRAINT "users_telegram_id_unique" UNIQUE("telegram_id"),
	CONSTRAINT "users_role" CHECK ("users"."role" in ('user', 'admin'))
);
--> statement-breakpoint
CREATE TABLE "admin_actions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "admin_actions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"admin_telegram_id" bigint NOT NULL,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"key_id" integer,
	CONSTRAINT "admin_actions_action" CHECK ("admin_actions"."action" in ('ban', 'unban', 'allow', 'disallow', 'take-down', 'plan', 'broadcast', 'pause-broadcast', 'resume-broadcast', 'cancel-broadcast', 'create-key', 'change-key', 'rotate-key', 'revoke-key', 'set-budget', 'raise-budget'))
);
--> statement-breakpoint
CREATE TABLE "allowed_users" (
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
CREATE TABLE "forgotten_users" (
	"user_id" integer PRIMARY KEY NOT NULL,
	"forgotten_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "broadcast_recipients" (
	"broadcast_id" bigint NOT NULL,
	"user_id" integer NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"deferrals" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "broadcast_recipients_broadcast_id_user_id_pk" PRIMARY KEY("broadcast_id","user_id"),
	CONSTRAINT "broadcast_recipients_state" CHECK ("broadcast_recipients"."state" in ('waiting', 'sending', 'sent', 'blocked', 'failed', 'unclear', 'left-out'))
);
--> statement-breakpoint
CREATE TABLE "broadcasts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "broadcasts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"admin_telegram_id" bigint NOT NULL,
	"source_message_id" integer NOT NULL,
	"status_message_id" integer NOT NULL,
	"language" text NOT NULL,
	"state" text DEFAULT 'sending' NOT NULL,
	"interval_ms" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"counts" jsonb,
	"notified_at" timestamp with time zone,
	CONSTRAINT "broadcasts_source" UNIQUE("admin_telegram_id","source_message_id"),
	CONSTRAINT "broadcasts_state" CHECK ("broadcasts"."state" in ('sending', 'paused', 'cancelled', 'gone', 'done')),
	CONSTRAINT "broadcasts_counts" CHECK (("broadcasts"."ended_at" is null) = ("broadcasts"."counts" is null))
);
--> statement-breakpoint
CREATE TABLE "budget_notices" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "budget_notices_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"scope" text NOT NULL,
	"period" text NOT NULL,
	"period_start" date NOT NULL,
	"level" smallint NOT NULL,
	"limit_usd" numeric(18, 9) NOT NULL,
	"user_id" integer,
	"claimed_at" timestamp with time zone NOT NULL,
	"sent_to" bigint[] DEFAULT '{}' NOT NULL,
	"sent_at" timestamp with time zone,
	"raised_by_usd" numeric(18, 9),
	CONSTRAINT "budget_notices_once" UNIQUE("scope","period","period_start","level"),
	CONSTRAINT "budget_notices_level" CHECK ("budget_notices"."level" in (80, 100)),
	CONSTRAINT "budget_notices_period" CHECK ("budget_notices"."period" in ('day', 'month', 'total'))
);
--> statement-breakpoint
CREATE TABLE "attachment_readings" (
	"answer_id" bigint NOT NULL,
	"position" integer NOT NULL,
	CONSTRAINT "attachment_readings_answer_id_position_pk" PRIMARY KEY("answer_id","position"),
	CONSTRAINT "attachment_readings_position" CHECK ("attachment_readings"."position" >= 0)
);
--> statement-breakpoint
CREATE TABLE "attachment_texts" (
	"message_id" bigint NOT NULL,
	"position" integer NOT NULL,
	"text" text NOT NULL,
	"share" real NOT NULL,
	"page_count" integer,
	CONSTRAINT "attachment_texts_message_id_position_pk" PRIMARY KEY("message_id","position"),
	CONSTRAINT "attachment_texts_page_count" CHECK ("attachment_texts"."page_count" > 0),
	CONSTRAINT "attachment_texts_position" CHECK ("attachment_texts"."position" >= 0),
	CONSTRAINT "attachment_texts_share" CHECK ("attachment_texts"."share" > 0 and "attachment_texts"."share" <= 1)
);
--> statement-breakpoint
CREATE TABLE "conversations" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "conversations_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"chat_id" bigint NOT NULL,
	"topic_id" integer,
	"user_id" integer NOT NULL,
	"is_current" boolean DEFAULT true NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"head_id" bigint,
	"title" text,
	"archived_at" timestamp with time zone,
	"persona" text,
	"instructions" text,
	"instructions_by" integer,
	"names_topic" boolean DEFAULT false NOT NULL,
	"model" text,
	CONSTRAINT "conversations_one_prompt_source" CHECK (num_nonnulls("conversations"."persona", "conversations"."instructions") <= 1)
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"chat_id" bigint NOT NULL,
	"telegram_message_id" integer NOT NULL,
	"message_id" bigint NOT NULL,
	"page" integer NOT NULL,
	CONSTRAINT "deliveries_chat_id_telegram_message_id_pk" PRIMARY KEY("chat_id","telegram_message_id"),
	CONSTRAINT "deliveries_page" CHECK ("deliveries"."page" >= 0)
);
--> statement-breakpoint
CREATE TABLE "inline_answers" (
	"inline_message_id" text PRIMARY KEY NOT NULL,
	"message_id" bigint NOT NULL,
	"shows_question" boolean NOT NULL,
	CONSTRAINT "inline_answers_message_id_unique" UNIQUE("message_id")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "messages_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"conversation_id" bigint NOT NULL,
	"parent_id" bigint,
	"role" text NOT NULL,
	"content" text NOT NULL,
	"attachments" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"model" text,
	"finish_reason" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"user_id" integer,
	"resumptions" integer DEFAULT 0 NOT NULL,
	"settled_at" timestamp with time zone,
	"extras" jsonb,
	"replaces_id" bigint,
	CONSTRAINT "messages_conversation_id" UNIQUE("conversation_id","id"),
	CONSTRAINT "messages_role" CHECK ("messages"."role" in ('user', 'assistant')),
	CONSTRAINT "messages_not_own_parent" CHECK ("messages"."parent_id" < "messages"."id")
);
--> statement-breakpoint
CREATE TABLE "planned_sends" (
	"message_id" bigint NOT NULL,
	"page" integer NOT NULL,
	"chat_id" bigint NOT NULL,
	"after_telegram_id" integer NOT NULL,
	CONSTRAINT "planned_sends_message_id_page_pk" PRIMARY KEY("message_id","page"),
	CONSTRAINT "planned_sends_page" CHECK ("planned_sends"."page" >= 0)
);
--> statement-breakpoint
CREATE TABLE "tool_permissions" (
	"conversation_id" bigint NOT NULL,
	"user_id" integer NOT NULL,
	"subject" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tool_permissions_conversation_id_user_id_subject_pk" PRIMARY KEY("conversation_id","user_id","subject")
);
--> statement-breakpoint
CREATE TABLE "feedback" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "feedback_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"message_id" bigint,
	"reply_id" text,
	"model" text NOT NULL,
	"rating" text NOT NULL,
	"comment" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "feedback_message" UNIQUE("user_id","message_id"),
	CONSTRAINT "feedback_reply" UNIQUE("user_id","reply_id"),
	CONSTRAINT "feedback_rating" CHECK ("feedback"."rating" in ('up', 'down')),
	CONSTRAINT "feedback_of_one_answer" CHECK (num_nonnulls("feedback"."message_id", "feedback"."reply_id") <= 1)
);
--> statement-breakpoint
CREATE TABLE "group_messages" (
	"chat_id" bigint NOT NULL,
	"telegram_message_id" integer NOT NULL,
	"topic_id" integer NOT NULL,
	"author_id" bigint NOT NULL,
	"author_name" text NOT NULL,
	"content" text NOT NULL,
	"sent_at" timestamp with time zone NOT NULL,
	CONSTRAINT "group_messages_chat_id_telegram_message_id_pk" PRIMARY KEY("chat_id","telegram_message_id"),
	CONSTRAINT "group_messages_topic" CHECK ("group_messages"."topic_id" >= 0)
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"chat_id" bigint PRIMARY KEY NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"stores_recent_messages" boolean DEFAULT false NOT NULL,
	"plan" text,
	"moved_to_id" bigint
);
--> statement-breakpoint
CREATE TABLE "idempotent_answer_parts" (
	"request_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "idempotent_answer_parts_request_id_position_pk" PRIMARY KEY("request_id","position")
);
--> statement-breakpoint
CREATE TABLE "idempotent_requests" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" integer NOT NULL,
	"key_hash" text NOT NULL,
	"body_hash" text NOT NULL,
	"state" text NOT NULL,
	"status" integer,
	"headers" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"size_bytes" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotent_requests_key" UNIQUE("user_id","key_hash"),
	CONSTRAINT "idempotent_requests_status" CHECK (("idempotent_requests"."state" = 'running') = ("idempotent_requests"."status" is null))
);
--> statement-breakpoint
CREATE TABLE "image_jobs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "image_jobs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"chat_id" bigint NOT NULL,
	"topic_id" integer,
	"options" jsonb NOT NULL,
	"status_message_id" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone,
	"update_id" bigint,
	CONSTRAINT "image_jobs_update" UNIQUE("chat_id","update_id")
);
--> statement-breakpoint
CREATE TABLE "images" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "images_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"image_job_id" bigint NOT NULL,
	"position" integer NOT NULL,
	"format" text NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "images_position" UNIQUE("image_job_id","position"),
	CONSTRAINT "images_not_negative" CHECK ("images"."position" >= 0)
);
--> statement-breakpoint
CREATE TABLE "chat_queue_owners" (
	"bot_id" bigint NOT NULL,
	"chat_queue" bigint NOT NULL,
	"worker_id" text NOT NULL,
	CONSTRAINT "chat_queue_owners_bot_id_chat_queue_pk" PRIMARY KEY("bot_id","chat_queue")
);
--> statement-breakpoint
CREATE TABLE "update_workers" (
	"id" text PRIMARY KEY NOT NULL,
	"alive_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "updates" (
	"bot_id" bigint NOT NULL,
	"update_id" bigint NOT NULL,
	"chat_queue" bigint NOT NULL,
	"payload" jsonb,
	"received_at" timestamp with time zone DEFAULT now() NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"handled_at" timestamp with time zone,
	"failed_at" timestamp with time zone,
	"message_id" bigint,
	CONSTRAINT "updates_bot_id_update_id_pk" PRIMARY KEY("bot_id","update_id"),
	CONSTRAINT "updates_payload" CHECK (("updates"."payload" is null) = ("updates"."handled_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "blobs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "blobs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"store" text NOT NULL,
	"name" text NOT NULL,
	"locator" jsonb,
	"size_bytes" integer NOT NULL,
	"state" text NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "blobs_name_unique" UNIQUE("name"),
	CONSTRAINT "blobs_state" CHECK ("blobs"."state" in ('intended', 'stored')),
	CONSTRAINT "blobs_stored_has_locator" CHECK ("blobs"."state" <> 'stored' or "blobs"."locator" is not null)
);
--> statement-breakpoint
CREATE TABLE "blocked_hashes" (
	"sha256" text PRIMARY KEY NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "budgets" (
	"scope" text PRIMARY KEY NOT NULL,
	"usd_per_day" numeric(18, 9),
	"usd_per_month" numeric(18, 9),
	"usd_total" numeric(18, 9),
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "budgets_least" CHECK (least("budgets"."usd_per_day", "budgets"."usd_per_month", "budgets"."usd_total") >= 0),
	CONSTRAINT "budgets_greatest" CHECK (greatest("budgets"."usd_per_day", "budgets"."usd_per_month", "budgets"."usd_total") <= 1000000)
);
--> statement-breakpoint
CREATE TABLE "callback_actions" (
	"token" text PRIMARY KEY NOT NULL,
	"user_id" integer NOT NULL,
	"action" jsonb NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"chat_id" bigint,
	"inline_message_id" text,
	CONSTRAINT "callback_actions_one_message" CHECK (num_nonnulls("callback_actions"."chat_id", "callback_actions"."inline_message_id") <= 1)
);
--> statement-breakpoint
CREATE TABLE "dialogs" (
	"key" text PRIMARY KEY NOT NULL,
	"state" jsonb NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "downloads" (
	"id" text PRIMARY KEY NOT NULL,
	"file_id" text NOT NULL,
	"lease_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "file_texts" (
	"file_id" text PRIMARY KEY NOT NULL,
	"user_id" integer NOT NULL,
	"text" text,
	"problem" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone DEFAULT now(),
	CONSTRAINT "file_texts_state" CHECK (num_nonnulls("file_texts"."text", "file_texts"."problem", "file_texts"."due_at") = 1)
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" text PRIMARY KEY NOT NULL,
	"owner_key_hash" text NOT NULL,
	"user_id" integer,
	"address_hash" text,
	"name" text NOT NULL,
	"media_type" text NOT NULL,
	"state" text NOT NULL,
	"size_bytes" bigint DEFAULT 0 NOT NULL,
	"sha256" text,
	"wrapped_key" "bytea",
	"lease_until" timestamp with time zone,
	"expires_at" timestamp with time zone,
	"downloads_left" integer,
	"password_hash" text,
	"is_inline" boolean DEFAULT false NOT NULL,
	"telegram" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"kind" text DEFAULT 'file' NOT NULL,
	CONSTRAINT "files_state" CHECK ("files"."state" in ('uploading', 'ready')),
	CONSTRAINT "files_kind" CHECK ("files"."kind" in ('file', 'conversation')),
	CONSTRAINT "files_size" CHECK ("files"."size_bytes" >= 0),
	CONSTRAINT "files_downloads" CHECK ("files"."downloads_left" >= 0),
	CONSTRAINT "files_owner_key_hash" CHECK ("files"."owner_key_hash" ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "files_uploading_has_lease" CHECK ("files"."state" = 'ready' or "files"."lease_until" is not null)
);
--> statement-breakpoint
CREATE TABLE "library_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "library_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"message_id" bigint,
	"position" integer,
	"file_id" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "library_changes_source" CHECK (num_nonnulls("library_changes"."message_id", "library_changes"."file_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "library_chunks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "library_chunks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"message_id" bigint,
	"position" integer,
	"file_id" text,
	"user_id" integer,
	"group_id" bigint,
	"sent_at" timestamp with time zone NOT NULL,
	"start" integer NOT NULL,
	"length" integer NOT NULL,
	"words" "tsvector" NOT NULL,
	"number" integer NOT NULL,
	CONSTRAINT "library_chunks_source" CHECK (num_nonnulls("library_chunks"."message_id", "library_chunks"."file_id") = 1),
	CONSTRAINT "library_chunks_owner" CHECK (num_nonnulls("library_chunks"."user_id", "library_chunks"."group_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "library_vectors" (
	"chunk_id" bigint PRIMARY KEY NOT NULL,
	"user_id" integer,
	"group_id" bigint,
	"number" integer NOT NULL,
	"model" text NOT NULL,
	"signs" "varbit" NOT NULL,
	CONSTRAINT "library_vectors_owner" CHECK (num_nonnulls("library_vectors"."user_id", "library_vectors"."group_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "limit_counters" (
	"scope" text PRIMARY KEY NOT NULL,
	"minute_began_at" timestamp with time zone NOT NULL,
	"minute_requests" integer DEFAULT 0 NOT NULL,
	"day" date NOT NULL,
	"day_tokens" bigint DEFAULT 0 NOT NULL,
	"day_images" integer DEFAULT 0 NOT NULL,
	"day_usd" numeric(18, 9) DEFAULT 0 NOT NULL,
	"month" date,
	"month_usd" numeric(18, 9) DEFAULT 0 NOT NULL,
	"total_usd" numeric(18, 9) DEFAULT 0 NOT NULL,
	CONSTRAINT "limit_counters_amounts" CHECK ("limit_counters"."minute_requests" >= 0 and "limit_counters"."day_tokens" >= 0 and "limit_counters"."day_images" >= 0),
	CONSTRAINT "limit_counters_usd" CHECK (least("limit_counters"."day_usd", "limit_counters"."month_usd", "limit_counters"."total_usd") >= 0)
);
--> statement-breakpoint
CREATE TABLE "limit_reservations" (
	"id" text NOT NULL,
	"scope" text NOT NULL,
	"tokens" bigint NOT NULL,
	"images" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"usd" numeric(18, 9),
	"usage" jsonb,
	CONSTRAINT "limit_reservations_id_scope_pk" PRIMARY KEY("id","scope"),
	CONSTRAINT "limit_reservations_amounts" CHECK ("limit_reservations"."tokens" >= 0 and "limit_reservations"."images" >= 0),
	CONSTRAINT "limit_reservations_usd" CHECK ("limit_reservations"."usd" >= 0)
);
--> statement-breakpoint
CREATE TABLE "memories" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "memories_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer,
	"group_id" bigint,
	"content" text NOT NULL,
	"digest" text NOT NULL,
	"author_id" integer NOT NULL,
	"source_chat_id" bigint,
	"source_message_id" integer,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"has_foreign_text" boolean DEFAULT false NOT NULL,
	CONSTRAINT "memories_of_user" UNIQUE("user_id","digest"),
	CONSTRAINT "memories_of_group" UNIQUE("group_id","digest"),
	CONSTRAINT "memories_one_owner" CHECK (num_nonnulls("memories"."user_id", "memories"."group_id") = 1),
	CONSTRAINT "memories_content" CHECK (char_length("memories"."content") between 1 and 300),
	CONSTRAINT "memories_source" CHECK (num_nonnulls("memories"."source_chat_id", "memories"."source_message_id") <> 1)
);
--> statement-breakpoint
CREATE TABLE "model_discoveries" (
	"provider" text PRIMARY KEY NOT NULL,
	"models" jsonb NOT NULL,
	"fetched_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "parts" (
	"file_id" text NOT NULL,
	"position" integer NOT NULL,
	"file_offset" bigint NOT NULL,
	"size_bytes" integer NOT NULL,
	"blob_id" bigint NOT NULL,
	"blob_offset" integer NOT NULL,
	"nonce_prefix" "bytea" NOT NULL,
	CONSTRAINT "parts_file_id_position_pk" PRIMARY KEY("file_id","position"),
	CONSTRAINT "parts_sizes" CHECK ("parts"."size_bytes" > 0 and "parts"."file_offset" >= 0 and "parts"."blob_offset" >= 0)
);
--> statement-breakpoint
CREATE TABLE "personas" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "personas_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"name" text NOT NULL,
	"instructions" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"share_key" text,
	"is_copied" boolean DEFAULT false NOT NULL,
	CONSTRAINT "personas_share_key_unique" UNIQUE("share_key"),
	CONSTRAINT "personas_not_empty" CHECK ("personas"."name" <> '' and "personas"."instructions" <> '')
);
--> statement-breakpoint
CREATE TABLE "responses" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" integer NOT NULL,
	"message_id" bigint,
	"parent_message_id" bigint,
	"first_message_id" bigint,
	"item_ids" text[] DEFAULT '{}' NOT NULL,
	"input" text NOT NULL,
	"body" text,
	"is_running" boolean DEFAULT false NOT NULL,
	"is_cancelled" boolean DEFAULT false NOT NULL,
	"alive_at" timestamp with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "responses_message_when_done" CHECK ("responses"."is_running" or "responses"."message_id" is not null or "responses"."body" is not null)
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "sessions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"hash" text NOT NULL,
	"user_id" integer NOT NULL,
	"origin" text NOT NULL,
	"user_agent" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"last_used_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "sessions_hash_unique" UNIQUE("hash"),
	CONSTRAINT "sessions_hash" CHECK ("sessions"."hash" ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "sessions_origin" CHECK ("sessions"."origin" in ('mini-app', 'link', 'playground'))
);
--> statement-breakpoint
CREATE TABLE "sign_in_codes" (
	"hash" text PRIMARY KEY NOT NULL,
	"user_id" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "sign_in_codes_hash" CHECK ("sign_in_codes"."hash" ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "storage_rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"state" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "task_runs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "task_runs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"task_id" bigint NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"missed_count" integer DEFAULT 0 NOT NULL,
	"is_manual" boolean DEFAULT false NOT NULL,
	"state" text DEFAULT 'due' NOT NULL,
	"is_quiet" boolean DEFAULT false NOT NULL,
	"reason" text,
	"lease_until" timestamp with time zone,
	"claims" integer DEFAULT 0 NOT NULL,
	"question_id" bigint,
	"ended_at" timestamp with time zone,
	"notice" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "task_runs_due" UNIQUE("task_id","due_at"),
	CONSTRAINT "task_runs_missed" CHECK ("task_runs"."missed_count" >= 0),
	CONSTRAINT "task_runs_state" CHECK ("task_runs"."state" in ('due', 'claimed', 'started', 'done', 'failed', 'unclear', 'skipped'))
);
--> statement-breakpoint
CREATE TABLE "tasks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tasks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"group_id" bigint,
	"topic_id" integer,
	"kind" text NOT NULL,
	"prompt" text NOT NULL,
	"once_at" timestamp with time zone,
	"rule" text,
	"starts_at" text,
	"time_zone" text NOT NULL,
	"quiet_when_nothing_new" boolean DEFAULT false NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"paused_reason" text,
	"next_due_at" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"language" text,
	"has_foreign_text" boolean DEFAULT false NOT NULL,
	CONSTRAINT "tasks_prompt" CHECK ("tasks"."prompt" <> ''),
	CONSTRAINT "tasks_kind" CHECK ("tasks"."kind" in ('reminder', 'question')),
	CONSTRAINT "tasks_state" CHECK ("tasks"."state" in ('active', 'paused', 'ended')),
	CONSTRAINT "tasks_paused" CHECK (("tasks"."state" = 'paused') = ("tasks"."paused_reason" is not null)),
	CONSTRAINT "tasks_due" CHECK (("tasks"."state" = 'active') = ("tasks"."next_due_at" is not null)),
	CONSTRAINT "tasks_rule" CHECK (("tasks"."rule" is null) = ("tasks"."starts_at" is null)),
	CONSTRAINT "tasks_when" CHECK (num_nonnulls("tasks"."once_at", "tasks"."rule") = 1)
);
--> statement-breakpoint
CREATE TABLE "upload_volumes" (
	"client" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"size_bytes" bigint NOT NULL,
	CONSTRAINT "upload_volumes_client_hour_pk" PRIMARY KEY("client","hour")
);
--> statement-breakpoint
CREATE TABLE "usage" (
	"id" uuid PRIMARY KEY NOT NULL,
	"reply_id" text,
	"user_id" integer NOT NULL,
	"key_id" integer,
	"kind" text NOT NULL,
	"model" text NOT NULL,
	"provider" text NOT NULL,
	"prompt_tokens" integer NOT NULL,
	"completion_tokens" integer NOT NULL,
	"is_estimated" boolean NOT NULL,
	"finish_reason" text,
	"duration_ms" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"image_count" integer DEFAULT 0 NOT NULL,
	"cost_usd" numeric(18, 9),
	"chat_id" bigint,
	"cached_tokens" integer,
	"cache_write_tokens" integer,
	"reasoning_tokens" integer,
	"audio_input_tokens" integer,
	"audio_output_tokens" integer,
	"audio_seconds" double precision,
	"characters" integer,
	CONSTRAINT "usage_tokens" CHECK ("usage"."prompt_tokens" >= 0 and "usage"."completion_tokens" >= 0),
	CONSTRAINT "usage_images" CHECK ("usage"."image_count" >= 0)
);
--> statement-breakpoint
ALTER TABLE "api_key_networks" ADD CONSTRAINT "api_key_networks_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "forgotten_users" ADD CONSTRAINT "forgotten_users_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "broadcast_recipients" ADD CONSTRAINT "broadcast_recipients_broadcast_id_broadcasts_id_fk" FOREIGN KEY ("broadcast_id") REFERENCES "public"."broadcasts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "broadcast_recipients" ADD CONSTRAINT "broadcast_recipients_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budget_notices" ADD CONSTRAINT "budget_notices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachment_readings" ADD CONSTRAINT "attachment_readings_answer_id_messages_id_fk" FOREIGN KEY ("answer_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachment_texts" ADD CONSTRAINT "attachment_texts_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_head_id_messages_id_fk" FOREIGN KEY ("head_id") REFERENCES "public"."messages"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_instructions_by_users_id_fk" FOREIGN KEY ("instructions_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "inline_answers" ADD CONSTRAINT "inline_answers_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_replaces_id_messages_id_fk" FOREIGN KEY ("replaces_id") REFERENCES "public"."messages"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_parent" FOREIGN KEY ("conversation_id","parent_id") REFERENCES "public"."messages"("conversation_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "planned_sends" ADD CONSTRAINT "planned_sends_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tool_permissions" ADD CONSTRAINT "tool_permissions_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tool_permissions" ADD CONSTRAINT "tool_permissions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feedback" ADD CONSTRAINT "feedback_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feedback" ADD CONSTRAINT "feedback_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_messages" ADD CONSTRAINT "group_messages_chat_id_groups_chat_id_fk" FOREIGN KEY ("chat_id") REFERENCES "public"."groups"("chat_id") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "idempotent_answer_parts" ADD CONSTRAINT "idempotent_answer_parts_request_id_idempotent_requests_id_fk" FOREIGN KEY ("request_id") REFERENCES "public"."idempotent_requests"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotent_requests" ADD CONSTRAINT "idempotent_requests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "image_jobs" ADD CONSTRAINT "image_jobs_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "images" ADD CONSTRAINT "images_image_job_id_image_jobs_id_fk" FOREIGN KEY ("image_job_id") REFERENCES "public"."image_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "callback_actions" ADD CONSTRAINT "callback_actions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "downloads" ADD CONSTRAINT "downloads_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_texts" ADD CONSTRAINT "file_texts_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_texts" ADD CONSTRAINT "file_texts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_changes" ADD CONSTRAINT "library_changes_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_changes" ADD CONSTRAINT "library_changes_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_chunks" ADD CONSTRAINT "library_chunks_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_chunks" ADD CONSTRAINT "library_chunks_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_chunks" ADD CONSTRAINT "library_chunks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_chunks" ADD CONSTRAINT "library_chunks_attachment" FOREIGN KEY ("message_id","position") REFERENCES "public"."attachment_texts"("message_id","position") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_vectors" ADD CONSTRAINT "library_vectors_chunk_id_library_chunks_id_fk" FOREIGN KEY ("chunk_id") REFERENCES "public"."library_chunks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memories" ADD CONSTRAINT "memories_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memories" ADD CONSTRAINT "memories_group_id_groups_chat_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("chat_id") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "memories" ADD CONSTRAINT "memories_author_id_users_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "parts" ADD CONSTRAINT "parts_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "parts" ADD CONSTRAINT "parts_blob_id_blobs_id_fk" FOREIGN KEY ("blob_id") REFERENCES "public"."blobs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "personas" ADD CONSTRAINT "personas_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "responses" ADD CONSTRAINT "responses_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "responses" ADD CONSTRAINT "responses_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "responses" ADD CONSTRAINT "responses_parent_message_id_messages_id_fk" FOREIGN KEY ("parent_message_id") REFERENCES "public"."messages"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_codes" ADD CONSTRAINT "sign_in_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "task_runs" ADD CONSTRAINT "task_runs_task_id_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."tasks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "task_runs" ADD CONSTRAINT "task_runs_question_id_messages_id_fk" FOREIGN KEY ("question_id") REFERENCES "public"."messages"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_group_id_groups_chat_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("chat_id") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
CREATE INDEX "api_keys_user" ON "api_keys" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_one_universal" ON "api_keys" USING btree ("is_universal") WHERE "api_keys"."is_universal" and "api_keys"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX "forgotten_users_time" ON "forgotten_users" USING btree ("forgotten_at");--> statement-breakpoint
CREATE INDEX "broadcast_recipients_next" ON "broadcast_recipients" USING btree ("broadcast_id","state","deferrals","user_id");--> statement-breakpoint
CREATE INDEX "broadcast_recipients_user" ON "broadcast_recipients" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "broadcasts_one_at_a_time" ON "broadcasts" USING btree (("ended_at" is null)) WHERE "broadcasts"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "broadcasts_unnotified" ON "broadcasts" USING btree ("id") WHERE "broadcasts"."notified_at" is null;--> statement-breakpoint
CREATE INDEX "budget_notices_unsent" ON "budget_notices" USING btree ("claimed_at") WHERE "budget_notices"."sent_at" is null;--> statement-breakpoint
CREATE INDEX "budget_notices_user" ON "budget_notices" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "conversations_one_current" ON "conversations" USING btree ("chat_id",coalesce("topic_id", 0)) WHERE "conversations"."is_current";--> statement-breakpoint
CREATE INDEX "conversations_user" ON "conversations" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "conversations_head" ON "conversations" USING btree ("head_id");--> statement-breakpoint
CREATE INDEX "conversations_chat" ON "conversations" USING btree ("chat_id");--> statement-breakpoint
CREATE INDEX "conversations_instructions_by" ON "conversations" USING btree ("instructions_by") WHERE "conversations"."instructions_by" is not null;--> statement-breakpoint
CREATE INDEX "deliveries_message" ON "deliveries" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "deliveries_telegram_message" ON "deliveries" USING btree ("telegram_message_id");--> statement-breakpoint
CREATE INDEX "messages_replies" ON "messages" USING btree ("parent_id","conversation_id");--> statement-breakpoint
CREATE INDEX "messages_unsettled" ON "messages" USING btree ("conversation_id") WHERE "messages"."role" = 'assistant' and "messages"."settled_at" is null;--> statement-breakpoint
CREATE INDEX "messages_time" ON "messages" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "messages_replaced" ON "messages" USING btree ("replaces_id") WHERE "messages"."replaces_id" is not null;--> statement-breakpoint
CREATE INDEX "messages_user" ON "messages" USING btree ("user_id") WHERE "messages"."user_id" is not null;--> statement-breakpoint
CREATE INDEX "tool_permissions_user" ON "tool_permissions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "feedback_time" ON "feedback" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "feedback_by_message" ON "feedback" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "group_messages_chat" ON "group_messages" USING btree ("chat_id","topic_id","telegram_message_id");--> statement-breakpoint
CREATE INDEX "group_messages_author" ON "group_messages" USING btree ("author_id");--> statement-breakpoint
CREATE INDEX "group_messages_time" ON "group_messages" USING btree ("sent_at");--> statement-breakpoint
CREATE INDEX "groups_storing_messages" ON "groups" USING btree ("chat_id") WHERE "groups"."stores_recent_messages";--> statement-breakpoint
CREATE INDEX "idempotent_requests_expiry" ON "idempotent_requests" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "image_jobs_unended" ON "image_jobs" USING btree ("id") WHERE "image_jobs"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "image_jobs_time" ON "image_jobs" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "image_jobs_user" ON "image_jobs" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "updates_waiting" ON "updates" USING btree ("bot_id","chat_queue","update_id") WHERE "updates"."handled_at" is null and "updates"."failed_at" is null;--> statement-breakpoint
CREATE INDEX "updates_received" ON "updates" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "blobs_lease" ON "blobs" USING btree ("lease_until");--> statement-breakpoint
CREATE INDEX "budgets_updated" ON "budgets" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "callback_actions_expiry" ON "callback_actions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "callback_actions_user" ON "callback_actions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "downloads_file" ON "downloads" USING btree ("file_id");--> statement-breakpoint
CREATE INDEX "file_texts_due" ON "file_texts" USING btree ("due_at") WHERE "file_texts"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "file_texts_user" ON "file_texts" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "files_user" ON "files" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "files_address" ON "files" USING btree ("address_hash","created_at");--> statement-breakpoint
CREATE INDEX "files_expiry" ON "files" USING btree ("expires_at") WHERE "files"."expires_at" is not null;--> statement-breakpoint
CREATE INDEX "files_lease" ON "files" USING btree ("lease_until") WHERE "files"."state" = 'uploading';--> statement-breakpoint
CREATE INDEX "library_changes_message" ON "library_changes" USING btree ("message_id") WHERE "library_changes"."message_id" is not null;--> statement-breakpoint
CREATE INDEX "library_changes_file" ON "library_changes" USING btree ("file_id") WHERE "library_changes"."file_id" is not null;--> statement-breakpoint
CREATE INDEX "library_chunks_words" ON "library_chunks" USING gin ("words") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "library_chunks_message" ON "library_chunks" USING btree ("message_id","position");--> statement-breakpoint
CREATE INDEX "library_chunks_file" ON "library_chunks" USING btree ("file_id") WHERE "library_chunks"."file_id" is not null;--> statement-breakpoint
CREATE INDEX "library_chunks_user" ON "library_chunks" USING btree ("user_id","number") WHERE "library_chunks"."user_id" is not null;--> statement-breakpoint
CREATE INDEX "library_chunks_group" ON "library_chunks" USING btree ("group_id","number") WHERE "library_chunks"."group_id" is not null;--> statement-breakpoint
CREATE INDEX "library_vectors_user" ON "library_vectors" USING btree ("user_id","number") WHERE "library_vectors"."user_id" is not null;--> statement-breakpoint
CREATE INDEX "library_vectors_group" ON "library_vectors" USING btree ("group_id","number") WHERE "library_vectors"."group_id" is not null;--> statement-breakpoint
CREATE INDEX "limit_counters_day" ON "limit_counters" USING btree ("day");--> statement-breakpoint
CREATE INDEX "limit_reservations_scope" ON "limit_reservations" USING btree ("scope");--> statement-breakpoint
CREATE INDEX "memories_author" ON "memories" USING btree ("author_id");--> statement-breakpoint
CREATE INDEX "parts_blob" ON "parts" USING btree ("blob_id");--> statement-breakpoint
CREATE UNIQUE INDEX "personas_name" ON "personas" USING btree ("user_id",lower("name"));--> statement-breakpoint
CREATE INDEX "responses_user" ON "responses" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "responses_message" ON "responses" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "responses_parent_message" ON "responses" USING btree ("parent_message_id");--> statement-breakpoint
CREATE INDEX "responses_items" ON "responses" USING gin ("item_ids");--> statement-breakpoint
CREATE INDEX "responses_time" ON "responses" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sign_in_codes_user" ON "sign_in_codes" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "task_runs_one_open" ON "task_runs" USING btree ("task_id") WHERE "task_runs"."state" in ('due', 'claimed', 'started');--> statement-breakpoint
CREATE INDEX "task_runs_open" ON "task_runs" USING btree ("state") WHERE "task_runs"."state" in ('due', 'claimed', 'started');--> statement-breakpoint
CREATE INDEX "task_runs_notice" ON "task_runs" USING btree ("id") WHERE "task_runs"."notice" is not null;--> statement-breakpoint
CREATE INDEX "task_runs_question" ON "task_runs" USING btree ("question_id") WHERE "task_runs"."question_id" is not null;--> statement-breakpoint
CREATE INDEX "tasks_next" ON "tasks" USING btree ("next_due_at") WHERE "tasks"."next_due_at" is not null;--> statement-breakpoint
CREATE INDEX "tasks_user" ON "tasks" USING btree ("user_id","group_id");--> statement-breakpoint
CREATE INDEX "tasks_group" ON "tasks" USING btree ("group_id") WHERE "tasks"."group_id" is not null;--> statement-breakpoint
CREATE INDEX "upload_volumes_hour" ON "upload_volumes" USING btree ("hour");--> statement-breakpoint
CREATE INDEX "usage_user_time" ON "usage" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "usage_time" ON "usage" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "usage_reply" ON "usage" USING btree ("reply_id");
--> statement-breakpoint
-- Returns a whole amount from `smallest` to `largest`; `smallest` for anything that is no number.
CREATE FUNCTION "limit_amount"(value jsonb, smallest bigint, largest bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN jsonb_typeof(value) = 'number'
    THEN greatest(smallest, least(largest, ceil((value #>> '{}')::numeric)))::bigint
    ELSE smallest END;
$$;
--> statement-breakpoint
-- Returns an amount in dollars, rounded to nine decimals; the largest for anything that is no number.
CREATE FUNCTION "limit_dollars"(value jsonb) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN jsonb_typeof(value) = 'number'
    THEN greatest(0, least(1000000, round((value #>> '{}')::numeric, 9)))
    ELSE 1000000 END;
$$;
--> statement-breakpoint
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
