DROP INDEX "messages_children";--> statement-breakpoint
CREATE INDEX "messages_replies" ON "messages" USING btree ("parent_id","thread_id");