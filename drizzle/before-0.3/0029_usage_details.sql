ALTER TABLE "usage" ADD COLUMN "chat_id" bigint;--> statement-breakpoint
ALTER TABLE "usage" ADD COLUMN "cached_tokens" integer;--> statement-breakpoint
ALTER TABLE "usage" ADD COLUMN "cache_write_tokens" integer;--> statement-breakpoint
ALTER TABLE "usage" ADD COLUMN "reasoning_tokens" integer;--> statement-breakpoint
ALTER TABLE "usage" ADD COLUMN "audio_input_tokens" integer;--> statement-breakpoint
ALTER TABLE "usage" ADD COLUMN "audio_output_tokens" integer;--> statement-breakpoint
ALTER TABLE "usage" ADD COLUMN "audio_seconds" double precision;--> statement-breakpoint
ALTER TABLE "usage" ADD COLUMN "characters" integer;