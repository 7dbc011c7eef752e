ALTER TABLE "usage" DROP CONSTRAINT "usage_person_id_people_id_fk";
--> statement-breakpoint
ALTER TABLE "usage" DROP CONSTRAINT "usage_key_id_api_keys_id_fk";
--> statement-breakpoint
ALTER TABLE "usage" ALTER COLUMN "id" SET INCREMENT BY 1000;
--> statement-breakpoint
CREATE FUNCTION "delete_usage_of_person"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM usage WHERE person_id = OLD.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "people_take_their_usage" AFTER DELETE ON "people" FOR EACH ROW EXECUTE FUNCTION "delete_usage_of_person"();
