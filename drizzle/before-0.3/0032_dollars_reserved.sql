ALTER TABLE "limit_holds" ADD COLUMN "usd" numeric(18, 9);--> statement-breakpoint
ALTER TABLE "limit_holds" ADD COLUMN "usage" jsonb;--> statement-breakpoint
CREATE INDEX "budgets_updated" ON "budgets" USING btree ("updated_at");--> statement-breakpoint
ALTER TABLE "limit_holds" ADD CONSTRAINT "limit_holds_usd" CHECK ("limit_holds"."usd" >= 0);