CREATE TABLE "attachment_readings" (
	"answer_id" bigint NOT NULL,
	"position" integer NOT NULL,
	CONSTRAINT "attachment_readings_answer_id_position_pk" PRIMARY KEY("answer_id","position"),
	CONSTRAINT "attachment_readings_position" CHECK ("attachment_readings"."position" >= 0)
);
--> statement-breakpoint
ALTER TABLE "attachment_readings" ADD CONSTRAINT "attachment_readings_answer_id_messages_id_fk" FOREIGN KEY ("answer_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;