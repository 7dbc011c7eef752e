ALTER TABLE "access_notices" ADD COLUMN "shown_telegram_id" bigint;--> statement-breakpoint
ALTER TABLE "groups" ADD COLUMN "admitted_by" bigint;