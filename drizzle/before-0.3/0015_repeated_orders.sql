ALTER TABLE "drawings" ADD COLUMN "update_id" bigint;--> statement-breakpoint
ALTER TABLE "dialogs" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "drawings" ADD CONSTRAINT "drawings_update" UNIQUE("chat_id","update_id");