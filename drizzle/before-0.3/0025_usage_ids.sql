ALTER TABLE "usage" ALTER COLUMN "id" DROP IDENTITY;--> statement-breakpoint
ALTER TABLE "usage" ALTER COLUMN "id" SET DATA TYPE uuid USING lpad(to_hex("id"), 32, '0')::uuid;
