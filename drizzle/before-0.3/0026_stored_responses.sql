CREATE TABLE "responses" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" integer NOT NULL,
	"message_id" bigint,
	"parent_message_id" bigint,
	"first_message_id" bigint,
	"item_ids" text[] DEFAULT '{}' NOT NULL,
	"input" text NOT NULL,
	"body" text,
	"is_running" boolean DEFAULT false NOT NULL,
	"is_cancelled" boolean DEFAULT false NOT NULL,
	"alive_at" timestamp with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "responses_message_when_done" CHECK ("responses"."is_running" or "responses"."message_id" is not null or "responses"."body" is not null)
);
--> statement-breakpoint
ALTER TABLE "responses" ADD CONSTRAINT "responses_user_id_people_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "responses" ADD CONSTRAINT "responses_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "responses" ADD CONSTRAINT "responses_parent_message_id_messages_id_fk" FOREIGN KEY ("parent_message_id") REFERENCES "public"."messages"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "responses_user" ON "responses" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "responses_message" ON "responses" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "responses_parent_message" ON "responses" USING btree ("parent_message_id");--> statement-breakpoint
CREATE INDEX "responses_items" ON "responses" USING gin ("item_ids");--> statement-breakpoint
CREATE INDEX "responses_time" ON "responses" USING btree ("created_at");