CREATE TABLE "announcement_recipients" (
	"announcement_id" bigint NOT NULL,
	"person_id" integer NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"deferrals" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "announcement_recipients_announcement_id_person_id_pk" PRIMARY KEY("announcement_id","person_id"),
	CONSTRAINT "announcement_recipients_state" CHECK ("announcement_recipients"."state" in ('waiting', 'sending', 'sent', 'blocked', 'failed', 'unclear', 'left-out'))
);
--> statement-breakpoint
CREATE TABLE "announcements" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "announcements_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"admin_telegram_id" bigint NOT NULL,
	"source_message_id" integer NOT NULL,
	"status_message_id" integer NOT NULL,
	"language" text NOT NULL,
	"state" text DEFAULT 'sending' NOT NULL,
	"interval_ms" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"counts" jsonb,
	"told_at" timestamp with time zone,
	CONSTRAINT "announcements_source" UNIQUE("admin_telegram_id","source_message_id"),
	CONSTRAINT "announcements_state" CHECK ("announcements"."state" in ('sending', 'paused', 'cancelled', 'gone', 'done')),
	CONSTRAINT "announcements_counts" CHECK (("announcements"."ended_at" is null) = ("announcements"."counts" is null))
);
--> statement-breakpoint
ALTER TABLE "admin_actions" DROP CONSTRAINT "admin_actions_action";--> statement-breakpoint
ALTER TABLE "people" ADD COLUMN "unreachable_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "announcement_recipients" ADD CONSTRAINT "announcement_recipients_announcement_id_announcements_id_fk" FOREIGN KEY ("announcement_id") REFERENCES "public"."announcements"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "announcement_recipients" ADD CONSTRAINT "announcement_recipients_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "announcement_recipients_next" ON "announcement_recipients" USING btree ("announcement_id","state","deferrals","person_id");--> statement-breakpoint
CREATE INDEX "announcement_recipients_person" ON "announcement_recipients" USING btree ("person_id");--> statement-breakpoint
CREATE UNIQUE INDEX "announcements_one_at_a_time" ON "announcements" USING btree (("ended_at" is null)) WHERE "announcements"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "announcements_untold" ON "announcements" USING btree ("id") WHERE "announcements"."told_at" is null;--> statement-breakpoint
ALTER TABLE "admin_actions" ADD CONSTRAINT "admin_actions_action" CHECK ("admin_actions"."action" in ('ban', 'unban', 'allow', 'disallow', 'take-down', 'plan', 'announce', 'pause-announcement', 'resume-announcement', 'cancel-announcement'));