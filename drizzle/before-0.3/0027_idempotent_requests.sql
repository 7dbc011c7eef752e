CREATE TABLE "idempotent_answer_parts" (
	"request_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "idempotent_answer_parts_request_id_position_pk" PRIMARY KEY("request_id","position")
);
--> statement-breakpoint
CREATE TABLE "idempotent_requests" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" integer NOT NULL,
	"key_hash" text NOT NULL,
	"body_hash" text NOT NULL,
	"state" text NOT NULL,
	"status" integer,
	"headers" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"size_bytes" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotent_requests_key" UNIQUE("user_id","key_hash"),
	CONSTRAINT "idempotent_requests_status" CHECK (("idempotent_requests"."state" = 'running') = ("idempotent_requests"."status" is null))
);
--> statement-breakpoint
ALTER TABLE "idempotent_answer_parts" ADD CONSTRAINT "idempotent_answer_parts_request_id_idempotent_requests_id_fk" FOREIGN KEY ("request_id") REFERENCES "public"."idempotent_requests"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotent_requests" ADD CONSTRAINT "idempotent_requests_user_id_people_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idempotent_requests_expiry" ON "idempotent_requests" USING btree ("expires_at");