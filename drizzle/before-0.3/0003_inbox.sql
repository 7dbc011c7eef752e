CREATE TABLE "update_lanes" (
	"bot_id" bigint NOT NULL,
	"lane" bigint NOT NULL,
	"worker_id" text NOT NULL,
	CONSTRAINT "update_lanes_bot_id_lane_pk" PRIMARY KEY("bot_id","lane")
);
--> statement-breakpoint
CREATE TABLE "update_workers" (
	"id" text PRIMARY KEY NOT NULL,
	"alive_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "updates" (
	"bot_id" bigint NOT NULL,
	"update_id" bigint NOT NULL,
	"lane" bigint NOT NULL,
	"payload" jsonb,
	"received_at" timestamp with time zone DEFAULT now() NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"handled_at" timestamp with time zone,
	"set_aside_at" timestamp with time zone,
	CONSTRAINT "updates_bot_id_update_id_pk" PRIMARY KEY("bot_id","update_id"),
	CONSTRAINT "updates_payload" CHECK (("updates"."payload" is null) = ("updates"."handled_at" is not null))
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "person_id" integer;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "resumptions" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "updates_waiting" ON "updates" USING btree ("bot_id","lane","update_id") WHERE "updates"."handled_at" is null and "updates"."set_aside_at" is null;--> statement-breakpoint
CREATE INDEX "updates_received" ON "updates" USING btree ("received_at");--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE set null ON UPDATE no action;