ALTER TABLE "api_keys" ADD COLUMN "note" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "allowed_models" text[];--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "requests_per_minute" integer;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "tokens_per_day" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "at_once" integer;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "paused_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "scope" text DEFAULT 'use' NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "previous_hash" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "previous_expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_previous_hash_unique" UNIQUE("previous_hash");--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_previous_hash" CHECK ("api_keys"."previous_hash" ~ '^[0-9a-f]{64}$');--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_scope" CHECK ("api_keys"."scope" in ('use', 'manage'));--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_limits" CHECK ("api_keys"."requests_per_minute" > 0 and "api_keys"."tokens_per_day" > 0 and "api_keys"."at_once" > 0);