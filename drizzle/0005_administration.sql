CREATE TABLE "admin_actions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "admin_actions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"admin_telegram_id" bigint NOT NULL,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "admin_actions_action" CHECK ("admin_actions"."action" in ('ban', 'unban', 'allow', 'disallow', 'take-down', 'plan'))
);
--> statement-breakpoint
CREATE TABLE "allowed_people" (
	"telegram_id" bigint PRIMARY KEY NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "bans" (
	"telegram_id" bigint PRIMARY KEY NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "forgotten_people" (
	"person_id" integer PRIMARY KEY NOT NULL,
	"forgotten_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "feedback" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "feedback_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"person_id" integer NOT NULL,
	"message_id" bigint,
	"reply_id" text,
	"model" text NOT NULL,
	"rating" text NOT NULL,
	"comment" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "feedback_message" UNIQUE("person_id","message_id"),
	CONSTRAINT "feedback_reply" UNIQUE("person_id","reply_id"),
	CONSTRAINT "feedback_rating" CHECK ("feedback"."rating" in ('up', 'down')),
	CONSTRAINT "feedback_of_one_answer" CHECK (num_nonnulls("feedback"."message_id", "feedback"."reply_id") <= 1)
);
--> statement-breakpoint
ALTER TABLE "forgotten_people" ADD CONSTRAINT "forgotten_people_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feedback" ADD CONSTRAINT "feedback_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feedback" ADD CONSTRAINT "feedback_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "forgotten_people_time" ON "forgotten_people" USING btree ("forgotten_at");--> statement-breakpoint
CREATE INDEX "feedback_time" ON "feedback" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "feedback_by_message" ON "feedback" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "messages_time" ON "messages" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "messages_person" ON "messages" USING btree ("person_id") WHERE "messages"."person_id" is not null;--> statement-breakpoint
CREATE INDEX "threads_person" ON "threads" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "drawings_person" ON "drawings" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "choices_person" ON "choices" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "usage_time" ON "usage" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "usage_reply" ON "usage" USING btree ("reply_id");