import type { IncomingUpdate } from '../../core/inbox/index.ts';
import type { ClaimedRun } from '../../core/tasks/index.ts';
import { isJsonObject } from '../../lib/json/json.ts';

/** Below all ids of Telegram. */
const FIRST_ID = Number.MIN_SAFE_INTEGER;
/** Ids of one run: its claims, and those of its notice. */
const IDS_PER_RUN = 16;
const FIRST_NOTICE_ID = 8;

/**
 * Returns a run of a task as an entry of its chat's queue, so that it is carried out by the process that owns the chat,
 * and survives it. The id is negative, unlike Telegram's, in the order of the runs, and new for each claim.
 */
export function toIncomingRun({ runId, chatId, purpose, claim }: ClaimedRun): IncomingUpdate {
  const offset = purpose === 'run' ? claim : FIRST_NOTICE_ID + claim;
  return { id: FIRST_ID + runId * IDS_PER_RUN + offset, chatQueue: chatId, payload: { taskRun: runId } };
}

/** Returns the id of the run in a chat's queue; undefined for an update of Telegram. */
export function readTaskRun(payload: unknown): number | undefined {
  const runId = isJsonObject(payload) ? payload['taskRun'] : undefined;
  return typeof runId === 'number' ? runId : undefined;
}
