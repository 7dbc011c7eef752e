CREATE TABLE "blobs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "blobs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"store" text NOT NULL,
	"name" text NOT NULL,
	"locator" jsonb,
	"size_bytes" integer NOT NULL,
	"state" text NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "blobs_name_unique" UNIQUE("name"),
	CONSTRAINT "blobs_state" CHECK ("blobs"."state" in ('intended', 'stored', 'unknown')),
	CONSTRAINT "blobs_stored_has_locator" CHECK ("blobs"."state" <> 'stored' or "blobs"."locator" is not null)
);
--> statement-breakpoint
CREATE TABLE "blocked_hashes" (
	"sha256" text PRIMARY KEY NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" text PRIMARY KEY NOT NULL,
	"owner_key_hash" text NOT NULL,
	"person_id" integer,
	"address_hash" text,
	"name" text NOT NULL,
	"media_type" text NOT NULL,
	"state" text NOT NULL,
	"size_bytes" bigint DEFAULT 0 NOT NULL,
	"sha256" text,
	"wrapped_key" "bytea",
	"lease_until" timestamp with time zone,
	"expires_at" timestamp with time zone,
	"downloads_left" integer,
	"password_hash" text,
	"is_inline" boolean DEFAULT false NOT NULL,
	"telegram" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "files_state" CHECK ("files"."state" in ('uploading', 'ready')),
	CONSTRAINT "files_size" CHECK ("files"."size_bytes" >= 0),
	CONSTRAINT "files_downloads" CHECK ("files"."downloads_left" >= 0),
	CONSTRAINT "files_owner_key_hash" CHECK ("files"."owner_key_hash" ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "files_uploading_has_lease" CHECK ("files"."state" = 'ready' or "files"."lease_until" is not null)
);
--> statement-breakpoint
CREATE TABLE "parts" (
	"file_id" text NOT NULL,
	"position" integer NOT NULL,
	"file_offset" bigint NOT NULL,
	"size_bytes" integer NOT NULL,
	"blob_id" bigint NOT NULL,
	"blob_offset" integer NOT NULL,
	"nonce_prefix" "bytea" NOT NULL,
	CONSTRAINT "parts_file_id_position_pk" PRIMARY KEY("file_id","position"),
	CONSTRAINT "parts_sizes" CHECK ("parts"."size_bytes" > 0 and "parts"."file_offset" >= 0 and "parts"."blob_offset" >= 0)
);
--> statement-breakpoint
CREATE TABLE "storage_pace" (
	"key" text PRIMARY KEY NOT NULL,
	"state" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "upload_volumes" (
	"sender" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"size_bytes" bigint NOT NULL,
	CONSTRAINT "upload_volumes_sender_hour_pk" PRIMARY KEY("sender","hour")
);
--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "parts" ADD CONSTRAINT "parts_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "parts" ADD CONSTRAINT "parts_blob_id_blobs_id_fk" FOREIGN KEY ("blob_id") REFERENCES "public"."blobs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "blobs_lease" ON "blobs" USING btree ("lease_until");--> statement-breakpoint
CREATE INDEX "blobs_time" ON "blobs" USING btree ("store","created_at");--> statement-breakpoint
CREATE INDEX "files_person" ON "files" USING btree ("person_id","created_at");--> statement-breakpoint
CREATE INDEX "files_address" ON "files" USING btree ("address_hash","created_at");--> statement-breakpoint
CREATE INDEX "files_expiry" ON "files" USING btree ("expires_at") WHERE "files"."expires_at" is not null;--> statement-breakpoint
CREATE INDEX "files_lease" ON "files" USING btree ("lease_until") WHERE "files"."state" = 'uploading';--> statement-breakpoint
CREATE INDEX "parts_blob" ON "parts" USING btree ("blob_id");--> statement-breakpoint
CREATE INDEX "upload_volumes_hour" ON "upload_volumes" USING btree ("hour");