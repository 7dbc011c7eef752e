CREATE TABLE "file_texts" (
	"file_id" text PRIMARY KEY NOT NULL,
	"user_id" integer NOT NULL,
	"text" text,
	"problem" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone DEFAULT now(),
	CONSTRAINT "file_texts_state" CHECK (num_nonnulls("file_texts"."text", "file_texts"."problem", "file_texts"."due_at") = 1)
);
--> statement-breakpoint
ALTER TABLE "file_texts" ADD CONSTRAINT "file_texts_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_texts" ADD CONSTRAINT "file_texts_user_id_people_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "file_texts_due" ON "file_texts" USING btree ("due_at") WHERE "file_texts"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "file_texts_user" ON "file_texts" USING btree ("user_id");--> statement-breakpoint
-- Files that are stored already are noted again, so that their text is read.
INSERT INTO "library_changes" ("file_id")
  SELECT "id" FROM "files" WHERE "state" = 'ready' AND "kind" = 'file' AND "person_id" IS NOT NULL
    AND NOT EXISTS (SELECT FROM "library_changes" WHERE "file_id" = "files"."id") ORDER BY "created_at";
