CREATE TABLE "api_key_networks" (
	"key_id" integer NOT NULL,
	"network" text NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "api_key_networks_key_id_network_pk" PRIMARY KEY("key_id","network")
);
--> statement-breakpoint
ALTER TABLE "api_key_networks" ADD CONSTRAINT "api_key_networks_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
INSERT INTO "api_key_networks" ("key_id", "network", "first_seen_at")
SELECT "id", "last_used_network", "last_used_at" FROM "api_keys"
WHERE NOT "is_universal" AND "last_used_network" IS NOT NULL AND "last_used_at" IS NOT NULL;
