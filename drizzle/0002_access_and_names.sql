CREATE TABLE "access_notices" (
	"admin_telegram_id" bigint PRIMARY KEY NOT NULL,
	"message_id" integer NOT NULL,
	"content" text NOT NULL,
	"sent_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "access_requests" (
	"telegram_id" bigint PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"language" text,
	"state" text DEFAULT 'open' NOT NULL,
	"asked_at" timestamp with time zone NOT NULL,
	"decided_at" timestamp with time zone,
	"decided_by" bigint,
	"told_at" timestamp with time zone,
	CONSTRAINT "access_requests_state_known" CHECK ("access_requests"."state" in ('open', 'allowed', 'ignored', 'blocked'))
);
--> statement-breakpoint
CREATE TABLE "group_admissions" (
	"telegram_id" bigint NOT NULL,
	"chat_id" bigint NOT NULL,
	"checked_at" timestamp with time zone NOT NULL,
	CONSTRAINT "group_admissions_telegram_id_chat_id_pk" PRIMARY KEY("telegram_id","chat_id")
);
--> statement-breakpoint
CREATE TABLE "invitation_uses" (
	"invitation_id" integer NOT NULL,
	"telegram_id" bigint NOT NULL,
	CONSTRAINT "invitation_uses_invitation_id_telegram_id_pk" PRIMARY KEY("invitation_id","telegram_id")
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "invitations_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"hash" text NOT NULL,
	"created_by" bigint NOT NULL,
	"plan" text,
	"max_uses" integer NOT NULL,
	"use_count" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "invitations_hash_unique" UNIQUE("hash"),
	CONSTRAINT "invitations_hash" CHECK ("invitations"."hash" ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "invitations_uses" CHECK ("invitations"."use_count" between 0 and "invitations"."max_uses")
);
--> statement-breakpoint
ALTER TABLE "admin_actions" DROP CONSTRAINT "admin_actions_action";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "note" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "name" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "username" text;--> statement-breakpoint
ALTER TABLE "groups" ADD COLUMN "admits_members" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "invitation_uses" ADD CONSTRAINT "invitation_uses_invitation_id_invitations_id_fk" FOREIGN KEY ("invitation_id") REFERENCES "public"."invitations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "access_requests_state" ON "access_requests" USING btree ("state","asked_at");--> statement-breakpoint
CREATE INDEX "group_admissions_chat" ON "group_admissions" USING btree ("chat_id");--> statement-breakpoint
CREATE INDEX "group_admissions_time" ON "group_admissions" USING btree ("checked_at");--> statement-breakpoint
CREATE INDEX "invitation_uses_account" ON "invitation_uses" USING btree ("telegram_id");--> statement-breakpoint
CREATE INDEX "invitations_expiry" ON "invitations" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "groups_admitting_members" ON "groups" USING btree ("chat_id") WHERE "groups"."admits_members";--> statement-breakpoint
ALTER TABLE "admin_actions" ADD CONSTRAINT "admin_actions_action" CHECK ("admin_actions"."action" in ('ban', 'unban', 'allow', 'disallow', 'take-down', 'plan', 'broadcast', 'pause-broadcast', 'resume-broadcast', 'cancel-broadcast', 'create-key', 'change-key', 'rotate-key', 'revoke-key', 'set-budget', 'raise-budget', 'ignore-request', 'create-invitation', 'revoke-invitation', 'admit-group', 'dismiss-group', 'note'));