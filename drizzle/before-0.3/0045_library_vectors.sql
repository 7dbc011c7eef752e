CREATE TABLE "library_vectors" (
	"chunk_id" bigint PRIMARY KEY NOT NULL,
	"user_id" integer,
	"group_id" bigint,
	"number" integer NOT NULL,
	"model" text NOT NULL,
	"signs" "varbit" NOT NULL,
	CONSTRAINT "library_vectors_owner" CHECK (num_nonnulls("library_vectors"."user_id", "library_vectors"."group_id") = 1)
);
--> statement-breakpoint
ALTER TABLE "library_vectors" ADD CONSTRAINT "library_vectors_chunk_id_library_chunks_id_fk" FOREIGN KEY ("chunk_id") REFERENCES "public"."library_chunks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "library_vectors_user" ON "library_vectors" USING btree ("user_id","number") WHERE "library_vectors"."user_id" is not null;--> statement-breakpoint
CREATE INDEX "library_vectors_group" ON "library_vectors" USING btree ("group_id","number") WHERE "library_vectors"."group_id" is not null;