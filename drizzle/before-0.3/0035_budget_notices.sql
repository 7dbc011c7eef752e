CREATE TABLE "budget_notices" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "budget_notices_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"scope" text NOT NULL,
	"period" text NOT NULL,
	"period_start" date NOT NULL,
	"level" smallint NOT NULL,
	"limit_usd" numeric(18, 9) NOT NULL,
	"person_id" integer,
	"claimed_at" timestamp with time zone NOT NULL,
	"sent_to" bigint[] DEFAULT '{}' NOT NULL,
	"sent_at" timestamp with time zone,
	"raised_by_usd" numeric(18, 9),
	CONSTRAINT "budget_notices_once" UNIQUE("scope","period","period_start","level"),
	CONSTRAINT "budget_notices_level" CHECK ("budget_notices"."level" in (80, 100)),
	CONSTRAINT "budget_notices_period" CHECK ("budget_notices"."period" in ('day', 'month', 'total'))
);
--> statement-breakpoint
ALTER TABLE "budget_notices" ADD CONSTRAINT "budget_notices_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "budget_notices_unsent" ON "budget_notices" USING btree ("claimed_at") WHERE "budget_notices"."sent_at" is null;--> statement-breakpoint
CREATE INDEX "budget_notices_person" ON "budget_notices" USING btree ("person_id");