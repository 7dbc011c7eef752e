CREATE TABLE "memories" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "memories_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer,
	"group_id" bigint,
	"content" text NOT NULL,
	"digest" text NOT NULL,
	"author_id" integer NOT NULL,
	"source_chat_id" bigint,
	"source_message_id" integer,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "memories_of_user" UNIQUE("user_id","digest"),
	CONSTRAINT "memories_of_group" UNIQUE("group_id","digest"),
	CONSTRAINT "memories_one_owner" CHECK (num_nonnulls("memories"."user_id", "memories"."group_id") = 1),
	CONSTRAINT "memories_content" CHECK (char_length("memories"."content") between 1 and 300),
	CONSTRAINT "memories_source" CHECK (num_nonnulls("memories"."source_chat_id", "memories"."source_message_id") <> 1)
);
--> statement-breakpoint
ALTER TABLE "memories" ADD CONSTRAINT "memories_user_id_people_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memories" ADD CONSTRAINT "memories_group_id_groups_chat_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("chat_id") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "memories" ADD CONSTRAINT "memories_author_id_people_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "memories_author" ON "memories" USING btree ("author_id");