CREATE TABLE "planned_sends" (
	"message_id" bigint NOT NULL,
	"page" integer NOT NULL,
	"chat_id" bigint NOT NULL,
	"after_telegram_id" integer NOT NULL,
	CONSTRAINT "planned_sends_message_id_page_pk" PRIMARY KEY("message_id","page"),
	CONSTRAINT "planned_sends_page" CHECK ("planned_sends"."page" >= 0)
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "settled_at" timestamp with time zone;--> statement-breakpoint
UPDATE "messages" SET "settled_at" = "created_at" WHERE "role" = 'assistant' AND "finish_reason" IS NOT NULL;--> statement-breakpoint
ALTER TABLE "planned_sends" ADD CONSTRAINT "planned_sends_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deliveries_telegram_message" ON "deliveries" USING btree ("telegram_message_id");--> statement-breakpoint
CREATE INDEX "messages_owed" ON "messages" USING btree ("thread_id") WHERE "messages"."role" = 'assistant' and "messages"."settled_at" is null;