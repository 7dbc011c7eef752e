CREATE TABLE "attachment_texts" (
	"message_id" bigint NOT NULL,
	"position" integer NOT NULL,
	"text" text NOT NULL,
	"share" real NOT NULL,
	CONSTRAINT "attachment_texts_message_id_position_pk" PRIMARY KEY("message_id","position"),
	CONSTRAINT "attachment_texts_position" CHECK ("attachment_texts"."position" >= 0),
	CONSTRAINT "attachment_texts_share" CHECK ("attachment_texts"."share" > 0 and "attachment_texts"."share" <= 1)
);
--> statement-breakpoint
ALTER TABLE "attachment_texts" ADD CONSTRAINT "attachment_texts_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;