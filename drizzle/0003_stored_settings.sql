CREATE TABLE "stored_settings" (
	"name" text PRIMARY KEY NOT NULL,
	"value" "bytea",
	"former_value" "bytea",
	"version" integer NOT NULL,
	"changed_by" bigint NOT NULL,
	"changed_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "admin_actions" DROP CONSTRAINT "admin_actions_action";--> statement-breakpoint
ALTER TABLE "admin_actions" ADD CONSTRAINT "admin_actions_action" CHECK ("admin_actions"."action" in ('ban', 'unban', 'allow', 'disallow', 'take-down', 'plan', 'broadcast', 'pause-broadcast', 'resume-broadcast', 'cancel-broadcast', 'create-key', 'change-key', 'rotate-key', 'revoke-key', 'set-budget', 'raise-budget', 'ignore-request', 'create-invitation', 'revoke-invitation', 'admit-group', 'dismiss-group', 'note', 'set-setting', 'remove-setting', 'undo-setting'));