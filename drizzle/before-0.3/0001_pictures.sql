CREATE TABLE "drawings" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "drawings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"person_id" integer NOT NULL,
	"chat_id" bigint NOT NULL,
	"topic_id" integer,
	"drawing_order" jsonb NOT NULL,
	"status_message_id" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "pictures" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "pictures_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"drawing_id" bigint NOT NULL,
	"position" integer NOT NULL,
	"format" text NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "pictures_position" UNIQUE("drawing_id","position"),
	CONSTRAINT "pictures_not_negative" CHECK ("pictures"."position" >= 0)
);
--> statement-breakpoint
ALTER TABLE "usage" ADD COLUMN "picture_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "drawings" ADD CONSTRAINT "drawings_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pictures" ADD CONSTRAINT "pictures_drawing_id_drawings_id_fk" FOREIGN KEY ("drawing_id") REFERENCES "public"."drawings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "drawings_unended" ON "drawings" USING btree ("id") WHERE "drawings"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "drawings_time" ON "drawings" USING btree ("created_at");--> statement-breakpoint
ALTER TABLE "usage" ADD CONSTRAINT "usage_pictures" CHECK ("usage"."picture_count" >= 0);