import { z } from 'zod';

/** Message between the processes of one bot. It only speeds up what each process detects by itself. */
export interface ProcessMessage {
  /** Chat queues with new updates. */
  readonly chatQueues: readonly number[];
  /** Milliseconds from now for which Telegram rate-limits the token. */
  readonly pausedForMs: number | undefined;
}

/** Maximum number of queues in one message, as sent by the inbox. */
const MAX_QUEUES = 200;
/** Upper bound of a reported pause; after it, a call to Telegram decides. */
const MAX_PAUSE_MS = 15 * 60_000;

const processMessage = z.object({
  chatQueues: z.array(z.int()).max(MAX_QUEUES).optional(),
  pausedForMs: z.number().nonnegative().optional(),
});

/** Parses a message. It is untrusted, because every user of the database can send one; invalid messages are ignored. */
export function readProcessMessage(message: unknown): ProcessMessage {
  const { chatQueues = [], pausedForMs } = processMessage.safeParse(message).data ?? {};
  return { chatQueues, pausedForMs: pausedForMs === undefined ? undefined : Math.min(pausedForMs, MAX_PAUSE_MS) };
}
