CREATE TABLE "personas" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "personas_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"person_id" integer NOT NULL,
	"name" text NOT NULL,
	"instructions" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "personas_not_empty" CHECK ("personas"."name" <> '' and "personas"."instructions" <> '')
);
--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "title" text;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "archived_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "persona" text;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "instructions" text;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "instructions_by" integer;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "names_topic" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "personas" ADD CONSTRAINT "personas_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "personas_name" ON "personas" USING btree ("person_id",lower("name"));--> statement-breakpoint
ALTER TABLE "threads" ADD CONSTRAINT "threads_instructions_by_people_id_fk" FOREIGN KEY ("instructions_by") REFERENCES "public"."people"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "threads_chat" ON "threads" USING btree ("chat_id");--> statement-breakpoint
CREATE INDEX "threads_instructions_by" ON "threads" USING btree ("instructions_by") WHERE "threads"."instructions_by" is not null;--> statement-breakpoint
ALTER TABLE "threads" ADD CONSTRAINT "threads_one_guise" CHECK (num_nonnulls("threads"."persona", "threads"."instructions") <= 1);