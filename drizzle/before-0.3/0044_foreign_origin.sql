ALTER TABLE "memories" ADD COLUMN "has_foreign_text" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "personas" ADD COLUMN "is_copied" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "has_foreign_text" boolean DEFAULT false NOT NULL;