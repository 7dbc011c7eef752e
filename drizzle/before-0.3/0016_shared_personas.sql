ALTER TABLE "personas" ADD COLUMN "share_key" text;--> statement-breakpoint
ALTER TABLE "personas" ADD CONSTRAINT "personas_share_key_unique" UNIQUE("share_key");