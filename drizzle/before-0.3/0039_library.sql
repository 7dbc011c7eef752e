CREATE TABLE "library_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "library_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"message_id" bigint,
	"position" integer,
	"file_id" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "library_changes_source" CHECK (num_nonnulls("library_changes"."message_id", "library_changes"."file_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "library_chunks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "library_chunks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"message_id" bigint,
	"position" integer,
	"file_id" text,
	"user_id" integer,
	"group_id" bigint,
	"sent_at" timestamp with time zone NOT NULL,
	"start" integer NOT NULL,
	"length" integer NOT NULL,
	"words" "tsvector" NOT NULL,
	CONSTRAINT "library_chunks_source" CHECK (num_nonnulls("library_chunks"."message_id", "library_chunks"."file_id") = 1),
	CONSTRAINT "library_chunks_owner" CHECK (num_nonnulls("library_chunks"."user_id", "library_chunks"."group_id") = 1)
);
--> statement-breakpoint
ALTER TABLE "library_changes" ADD CONSTRAINT "library_changes_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_changes" ADD CONSTRAINT "library_changes_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_chunks" ADD CONSTRAINT "library_chunks_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_chunks" ADD CONSTRAINT "library_chunks_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_chunks" ADD CONSTRAINT "library_chunks_user_id_people_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_chunks" ADD CONSTRAINT "library_chunks_attachment" FOREIGN KEY ("message_id","position") REFERENCES "public"."attachment_texts"("message_id","position") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "library_changes_message" ON "library_changes" USING btree ("message_id") WHERE "library_changes"."message_id" is not null;--> statement-breakpoint
CREATE INDEX "library_changes_file" ON "library_changes" USING btree ("file_id") WHERE "library_changes"."file_id" is not null;--> statement-breakpoint
CREATE INDEX "library_chunks_words" ON "library_chunks" USING gin ("words") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "library_chunks_message" ON "library_chunks" USING btree ("message_id","position");--> statement-breakpoint
CREATE INDEX "library_chunks_file" ON "library_chunks" USING btree ("file_id") WHERE "library_chunks"."file_id" is not null;--> statement-breakpoint
CREATE INDEX "library_chunks_user" ON "library_chunks" USING btree ("user_id") WHERE "library_chunks"."user_id" is not null;