CREATE TABLE "limit_writers" (
	"id" text PRIMARY KEY NOT NULL,
	"last_batch" bigint NOT NULL,
	"written_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
-- For batches that have a number: one that the database has had already, or that comes after a later one of its writer, changes nothing.
CREATE FUNCTION "use_limits"(orders jsonb, moment timestamp with time zone, lease interval, writer text, batch bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO limit_writers (id, last_batch, written_at) VALUES (writer, batch, moment)
    ON CONFLICT (id) DO UPDATE SET last_batch = excluded.last_batch, written_at = excluded.written_at
    WHERE limit_writers.last_batch < excluded.last_batch;
  IF NOT FOUND THEN
    RETURN '[]';
  END IF;
  RETURN use_limits(orders, moment, lease);
END;
$$;
