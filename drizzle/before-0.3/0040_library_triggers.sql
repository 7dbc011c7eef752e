-- Notes a message whose text is new or has changed. A changed text is not found until it is indexed again.
CREATE FUNCTION "note_library_message"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM library_chunks WHERE message_id = NEW.id AND position IS NULL;
  END IF;
  IF NEW.content <> '' THEN
    INSERT INTO library_changes (message_id) VALUES (NEW.id);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "library_message_added" AFTER INSERT ON "messages" FOR EACH ROW
  WHEN (NEW.content <> '') EXECUTE FUNCTION note_library_message();
--> statement-breakpoint
CREATE TRIGGER "library_message_changed" AFTER UPDATE OF "content" ON "messages" FOR EACH ROW
  WHEN (NEW.content IS DISTINCT FROM OLD.content) EXECUTE FUNCTION note_library_message();
--> statement-breakpoint
-- Notes the text of a document or recording. It never changes; its chunks are deleted with it.
CREATE FUNCTION "note_library_attachment"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO library_changes (message_id, position) VALUES (NEW.message_id, NEW.position);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "library_attachment_added" AFTER INSERT ON "attachment_texts" FOR EACH ROW
  EXECUTE FUNCTION note_library_attachment();
--> statement-breakpoint
-- Notes a file that is complete, or has another name or owner.
CREATE FUNCTION "note_library_file"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM library_chunks WHERE file_id = NEW.id;
  END IF;
  IF NEW.state = 'ready' AND NEW.person_id IS NOT NULL THEN
    INSERT INTO library_changes (file_id) VALUES (NEW.id);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "library_file_added" AFTER INSERT ON "files" FOR EACH ROW
  WHEN (NEW.state = 'ready') EXECUTE FUNCTION note_library_file();
--> statement-breakpoint
CREATE TRIGGER "library_file_changed" AFTER UPDATE OF "name", "state", "person_id" ON "files" FOR EACH ROW
  WHEN ((NEW.name, NEW.state, NEW.person_id) IS DISTINCT FROM (OLD.name, OLD.state, OLD.person_id))
  EXECUTE FUNCTION note_library_file();
--> statement-breakpoint
-- Notes all texts of a conversation that has moved, as those of a group that becomes a supergroup.
CREATE FUNCTION "note_library_conversation"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM library_chunks WHERE message_id IN (SELECT id FROM messages WHERE thread_id = NEW.id);
  INSERT INTO library_changes (message_id)
    SELECT id FROM messages WHERE thread_id = NEW.id AND content <> '' ORDER BY id;
  INSERT INTO library_changes (message_id, position)
    SELECT message_id, position FROM attachment_texts JOIN messages ON messages.id = message_id WHERE thread_id = NEW.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "library_conversation_moved" AFTER UPDATE OF "chat_id", "person_id" ON "threads" FOR EACH ROW
  WHEN ((NEW.chat_id, NEW.person_id) IS DISTINCT FROM (OLD.chat_id, OLD.person_id) AND (NEW.chat_id > 0 OR NEW.chat_id <> OLD.chat_id))
  EXECUTE FUNCTION note_library_conversation();
--> statement-breakpoint
-- What is stored already.
INSERT INTO library_changes (message_id) SELECT id FROM messages WHERE content <> '' ORDER BY id;
--> statement-breakpoint
INSERT INTO library_changes (message_id, position) SELECT message_id, position FROM attachment_texts ORDER BY message_id, position;
--> statement-breakpoint
INSERT INTO library_changes (file_id) SELECT id FROM files WHERE state = 'ready' AND person_id IS NOT NULL ORDER BY created_at;
