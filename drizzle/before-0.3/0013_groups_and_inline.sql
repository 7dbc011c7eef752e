CREATE TABLE "inline_answers" (
	"inline_message_id" text PRIMARY KEY NOT NULL,
	"message_id" bigint NOT NULL,
	"shows_question" boolean NOT NULL,
	CONSTRAINT "inline_answers_message_id_unique" UNIQUE("message_id")
);
--> statement-breakpoint
CREATE TABLE "group_talk" (
	"chat_id" bigint NOT NULL,
	"telegram_message_id" integer NOT NULL,
	"topic_id" integer NOT NULL,
	"speaker_id" bigint NOT NULL,
	"speaker_name" text NOT NULL,
	"content" text NOT NULL,
	"said_at" timestamp with time zone NOT NULL,
	CONSTRAINT "group_talk_chat_id_telegram_message_id_pk" PRIMARY KEY("chat_id","telegram_message_id"),
	CONSTRAINT "group_talk_topic" CHECK ("group_talk"."topic_id" >= 0)
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"chat_id" bigint PRIMARY KEY NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"remembers_talk" boolean DEFAULT false NOT NULL,
	"plan" text
);
--> statement-breakpoint
ALTER TABLE "inline_answers" ADD CONSTRAINT "inline_answers_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_talk" ADD CONSTRAINT "group_talk_chat_id_groups_chat_id_fk" FOREIGN KEY ("chat_id") REFERENCES "public"."groups"("chat_id") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
CREATE INDEX "group_talk_place" ON "group_talk" USING btree ("chat_id","topic_id","telegram_message_id");--> statement-breakpoint
CREATE INDEX "group_talk_speaker" ON "group_talk" USING btree ("speaker_id");--> statement-breakpoint
CREATE INDEX "group_talk_time" ON "group_talk" USING btree ("said_at");--> statement-breakpoint
CREATE INDEX "groups_remembering" ON "groups" USING btree ("chat_id") WHERE "groups"."remembers_talk";