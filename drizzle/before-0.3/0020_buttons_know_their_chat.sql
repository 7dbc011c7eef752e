ALTER TABLE "threads" ADD COLUMN "model" text;--> statement-breakpoint
ALTER TABLE "groups" ADD COLUMN "moved_to_id" bigint;--> statement-breakpoint
ALTER TABLE "choices" ADD COLUMN "chat_id" bigint;--> statement-breakpoint
ALTER TABLE "choices" ADD COLUMN "inline_message_id" text;--> statement-breakpoint
ALTER TABLE "choices" ADD CONSTRAINT "choices_one_place" CHECK (num_nonnulls("choices"."chat_id", "choices"."inline_message_id") <= 1);