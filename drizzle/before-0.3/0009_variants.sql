ALTER TABLE "messages" ADD COLUMN "extras" jsonb;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "replaces_id" bigint;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "head_id" bigint;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_replaces_id_messages_id_fk" FOREIGN KEY ("replaces_id") REFERENCES "public"."messages"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "threads" ADD CONSTRAINT "threads_head_id_messages_id_fk" FOREIGN KEY ("head_id") REFERENCES "public"."messages"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "messages_replaced" ON "messages" USING btree ("replaces_id") WHERE "messages"."replaces_id" is not null;--> statement-breakpoint
CREATE INDEX "threads_head" ON "threads" USING btree ("head_id");