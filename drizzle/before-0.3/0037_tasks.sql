CREATE TABLE "task_runs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "task_runs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"task_id" bigint NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"missed_count" integer DEFAULT 0 NOT NULL,
	"is_manual" boolean DEFAULT false NOT NULL,
	"state" text DEFAULT 'due' NOT NULL,
	"is_quiet" boolean DEFAULT false NOT NULL,
	"reason" text,
	"lease_until" timestamp with time zone,
	"claims" integer DEFAULT 0 NOT NULL,
	"question_id" bigint,
	"ended_at" timestamp with time zone,
	"notice" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "task_runs_due" UNIQUE("task_id","due_at"),
	CONSTRAINT "task_runs_missed" CHECK ("task_runs"."missed_count" >= 0),
	CONSTRAINT "task_runs_state" CHECK ("task_runs"."state" in ('due', 'claimed', 'started', 'done', 'failed', 'unclear', 'skipped'))
);
--> statement-breakpoint
CREATE TABLE "tasks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tasks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"group_id" bigint,
	"topic_id" integer,
	"kind" text NOT NULL,
	"prompt" text NOT NULL,
	"once_at" timestamp with time zone,
	"rule" text,
	"starts_at" text,
	"time_zone" text NOT NULL,
	"quiet_when_nothing_new" boolean DEFAULT false NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"paused_reason" text,
	"next_due_at" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tasks_prompt" CHECK ("tasks"."prompt" <> ''),
	CONSTRAINT "tasks_kind" CHECK ("tasks"."kind" in ('reminder', 'question')),
	CONSTRAINT "tasks_state" CHECK ("tasks"."state" in ('active', 'paused', 'ended')),
	CONSTRAINT "tasks_paused" CHECK (("tasks"."state" = 'paused') = ("tasks"."paused_reason" is not null)),
	CONSTRAINT "tasks_due" CHECK (("tasks"."state" = 'active') = ("tasks"."next_due_at" is not null)),
	CONSTRAINT "tasks_rule" CHECK (("tasks"."rule" is null) = ("tasks"."starts_at" is null)),
	CONSTRAINT "tasks_when" CHECK (num_nonnulls("tasks"."once_at", "tasks"."rule") = 1)
);
--> statement-breakpoint
ALTER TABLE "task_runs" ADD CONSTRAINT "task_runs_task_id_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."tasks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "task_runs" ADD CONSTRAINT "task_runs_question_id_messages_id_fk" FOREIGN KEY ("question_id") REFERENCES "public"."messages"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_user_id_people_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_group_id_groups_chat_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("chat_id") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
CREATE UNIQUE INDEX "task_runs_one_open" ON "task_runs" USING btree ("task_id") WHERE "task_runs"."state" in ('due', 'claimed', 'started');--> statement-breakpoint
CREATE INDEX "task_runs_open" ON "task_runs" USING btree ("state") WHERE "task_runs"."state" in ('due', 'claimed', 'started');--> statement-breakpoint
CREATE INDEX "task_runs_notice" ON "task_runs" USING btree ("id") WHERE "task_runs"."notice" is not null;--> statement-breakpoint
CREATE INDEX "task_runs_question" ON "task_runs" USING btree ("question_id") WHERE "task_runs"."question_id" is not null;--> statement-breakpoint
CREATE INDEX "tasks_next" ON "tasks" USING btree ("next_due_at") WHERE "tasks"."next_due_at" is not null;--> statement-breakpoint
CREATE INDEX "tasks_user" ON "tasks" USING btree ("user_id","group_id");--> statement-breakpoint
CREATE INDEX "tasks_group" ON "tasks" USING btree ("group_id") WHERE "tasks"."group_id" is not null;