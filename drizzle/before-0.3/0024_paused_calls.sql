-- The calls of paused answers are kept in the terms of the model contract now. Answers that wait with older ones wait no more: their buttons say so.
UPDATE "messages" SET "extras" = "extras" - 'pausedCalls' WHERE "extras" ? 'pausedCalls';
