ALTER TABLE "blobs" DROP CONSTRAINT "blobs_state";--> statement-breakpoint
-- The sweeper removes what has a place, and the rows of the others.
UPDATE "blobs" SET "state" = CASE WHEN "locator" IS NULL THEN 'intended' ELSE 'stored' END WHERE "state" = 'unknown';--> statement-breakpoint
DROP INDEX "blobs_time";--> statement-breakpoint
ALTER TABLE "blobs" ADD CONSTRAINT "blobs_state" CHECK ("blobs"."state" in ('intended', 'stored'));
