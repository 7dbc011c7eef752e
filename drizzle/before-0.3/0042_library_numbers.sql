-- Chunks without a number are indexed again.
INSERT INTO "library_changes" ("message_id", "position", "file_id")
  SELECT "message_id", "position", "file_id" FROM "library_chunks" GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;--> statement-breakpoint
DELETE FROM "library_chunks";--> statement-breakpoint
DROP INDEX "library_chunks_user";--> statement-breakpoint
ALTER TABLE "library_chunks" ADD COLUMN "number" integer NOT NULL;--> statement-breakpoint
CREATE INDEX "library_chunks_group" ON "library_chunks" USING btree ("group_id","number") WHERE "library_chunks"."group_id" is not null;--> statement-breakpoint
CREATE INDEX "library_chunks_user" ON "library_chunks" USING btree ("user_id","number") WHERE "library_chunks"."user_id" is not null;