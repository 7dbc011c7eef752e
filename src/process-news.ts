import { z } from 'zod';

/** What the processes of one bot tell one another. It only hastens what each of them finds by itself. */
export interface ProcessNews {
  /** Chats for which somebody has taken something in. */
  readonly lanes: readonly number[];
  /** Telegram holds the token back for so long from now. */
  readonly heldForMs: number | undefined;
}

/** Lanes in one message: as many as the inbox tells of at once. */
const MAX_LANES = 200;
/** A longer silence is believed so far: then one call asks Telegram itself. */
const LONGEST_HOLD_MS = 15 * 60_000;

const news = z.object({
  lanes: z.array(z.int()).max(MAX_LANES).optional(),
  heldForMs: z.number().nonnegative().optional(),
});

/** Reads what was told. Anybody who may use the database can have told it: what makes no sense is nothing. */
export function readNews(told: unknown): ProcessNews {
  const { lanes = [], heldForMs } = news.safeParse(told).data ?? {};
  return { lanes, heldForMs: heldForMs === undefined ? undefined : Math.min(heldForMs, LONGEST_HOLD_MS) };
}
