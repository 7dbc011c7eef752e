import { and, eq, isNull, or, sql } from 'drizzle-orm';
import { toBigintArray } from '../../database/bigint-array.ts';
import type { Database } from '../../database/connect.ts';
import { groups, groupTalk } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/describe-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { createLookup } from '../../lib/lookup.ts';
import { once } from '../../lib/once.ts';
import { createGroupTalk, type GroupTalk } from './group-talk.ts';

/** What the admins of a group have chosen for everybody in it. A missing field means: as each person has it. */
export interface GroupSettings {
  /** Public name of the chat model. */
  readonly model?: string | undefined;
  /** Who answers in conversations that have no persona of their own: as conversations name it. */
  readonly persona?: string | undefined;
  /** What models are told in such conversations, where there is no `persona`. */
  readonly systemPrompt?: string | undefined;
  /** Language of the bot's own words, as Telegram names it (`en`, `ru`). */
  readonly language?: string | undefined;
  /** Whose limits count: those of whoever asks, by default, or the group's alone. */
  readonly payer?: 'group' | undefined;
  /** Whether a reply to the bot is a question without a mention. Default true. */
  readonly answersReplies?: boolean | undefined;
}

/** What is known of a group. */
export interface Group {
  readonly settings: GroupSettings;
  /** What is said there is kept for a while. */
  readonly remembersTalk: boolean;
  /** Name of the plan that an operator gave it. */
  readonly plan: string | undefined;
}

/** Groups: what their admins have chosen, and what was said in them of late. */
export interface Groups extends GroupTalk {
  find(chatId: number): Promise<Group>;
  /** @param changes fields that are undefined go back to their default. */
  change(chatId: number, changes: GroupSettings): Promise<Group>;
  /** What is kept of the talk so far goes when it is switched off. */
  setRemembering(chatId: number, remembersTalk: boolean): Promise<Group>;
  setPlan(chatId: number, plan: string | undefined): Promise<Group>;
  /** A group has become a supergroup. Repeating is harmless. */
  move(fromChatId: number, toChatId: number): Promise<void>;
  /** Whether two chat ids name the same chat: they are equal, or one is the supergroup that the other has become. */
  isSameChat(chatId: number, otherId: number): Promise<boolean>;
  /** Whether what is said there is kept, as far as this process knows: what others have switched counts within seconds. */
  isRemembering(chatId: number): boolean;
  /** Learns which groups want their talk remembered, now and every few seconds. @throws what the database throws. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Other processes learn of a switch so soon. */
const LOOK_EVERY_MS = 5000;
const NOTHING_CHOSEN: Group = { settings: {}, remembersTalk: false, plan: undefined };

/** Groups in the database. Nothing runs by itself before `start`. */
export function createGroups(deps: { readonly db: Database; readonly clock: Clock; readonly logger: Logger }): Groups {
  const { db, clock, logger } = deps;
  let remembering: ReadonlySet<number> = new Set();
  let cancel = () => {};
  let looking: Promise<void> = Promise.resolve();
  let isClosed = false;

  // Asked by every update of a group.
  const findRow = createLookup(async (chatIds: readonly number[]) => {
    const rows = await db
      .select()
      .from(groups)
      .where(sql`${groups.chatId} = any(${toBigintArray(chatIds)})`);
    return new Map(rows.map((row) => [row.chatId, row]));
  });
  const look = async () => {
    const rows = await db.select({ chatId: groups.chatId }).from(groups).where(eq(groups.remembersTalk, true));
    remembering = new Set(rows.map(({ chatId }) => chatId));
  };
  const schedule = () => {
    if (isClosed) return;
    cancel = clock.setTimer(LOOK_EVERY_MS, () => {
      looking = look()
        .catch((error: unknown) =>
          logger.warn({ reason: describeError(error) }, 'nobody knows which groups want to be remembered'),
        )
        .finally(schedule);
    });
  };
  const write = async (chatId: number, set: Partial<typeof groups.$inferInsert>, changes: object = {}) => {
    const [row] = await db
      .insert(groups)
      .values({ chatId, ...set, settings: changes as Record<string, unknown> })
      .onConflictDoUpdate({
        target: groups.chatId,
        // JSON leaves undefined fields out.
        set: {
          ...set,
          settings: sql`(${groups.settings} || ${JSON.stringify(changes)}::jsonb) - ${toRemoved(changes)}`,
        },
      })
      .returning();
    return row ? toGroup(row) : NOTHING_CHOSEN;
  };

  return {
    ...createGroupTalk(deps),
    async find(chatId) {
      const row = await findRow(chatId);
      return row ? toGroup(row) : NOTHING_CHOSEN;
    },
    change: (chatId, changes) => write(chatId, {}, changes),
    async setRemembering(chatId, remembersTalk) {
      const group = await write(chatId, { remembersTalk });
      if (!remembersTalk) await db.delete(groupTalk).where(eq(groupTalk.chatId, chatId));
      const others = [...remembering].filter((id) => id !== chatId);
      remembering = new Set(remembersTalk ? [...others, chatId] : others);
      return group;
    },
    setPlan: (chatId, plan) => write(chatId, { plan: plan ?? null }),
    async move(fromChatId, toChatId) {
      await db.transaction(async (tx) => {
        const [known] = await tx.select().from(groups).where(eq(groups.chatId, toChatId));
        const isInUse = and(eq(groups.chatId, fromChatId), isNull(groups.movedToId));
        if (known) await tx.delete(groups).where(isInUse);
        else await tx.update(groups).set({ chatId: toChatId }).where(isInUse);
        await tx
          .insert(groups)
          .values({ chatId: fromChatId, movedToId: toChatId })
          .onConflictDoUpdate({ target: groups.chatId, set: { movedToId: toChatId } });
      });
      await look();
    },
    async isSameChat(chatId, otherId) {
      if (chatId === otherId) return true;
      // Only groups have negative ids, and only they move.
      if (chatId >= 0 || otherId >= 0) return false;
      const isMove = (from: number, to: number) => and(eq(groups.chatId, from), eq(groups.movedToId, to));
      const moves = await db
        .select({ chatId: groups.chatId })
        .from(groups)
        .where(or(isMove(chatId, otherId), isMove(otherId, chatId)));
      return moves.length > 0;
    },
    isRemembering: (chatId) => remembering.has(chatId),
    async start() {
      await look();
      schedule();
    },
    close: once(async () => {
      isClosed = true;
      cancel();
      await looking;
    }),
  };
}

function toRemoved(changes: object) {
  const removed = Object.entries(changes).flatMap(([field, value]) => (value === undefined ? [field] : []));
  return sql`array[${sql.join(
    removed.map((field) => sql`${field}`),
    sql`, `,
  )}]::text[]`;
}

function toGroup({ settings, remembersTalk, plan }: typeof groups.$inferSelect): Group {
  return { settings, remembersTalk, plan: plan ?? undefined };
}
