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
ALTER TABLE "limit_counters" ADD COLUMN "day_usd" numeric(18, 9) DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "limit_counters" ADD COLUMN "month" date;--> statement-breakpoint
ALTER TABLE "limit_counters" ADD COLUMN "month_usd" numeric(18, 9) DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "limit_counters" ADD COLUMN "total_usd" numeric(18, 9) DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "limit_counters" ADD CONSTRAINT "limit_counters_usd" CHECK (least("limit_counters"."day_usd", "limit_counters"."month_usd", "limit_counters"."total_usd") >= 0);