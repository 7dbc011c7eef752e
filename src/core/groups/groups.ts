import { and, eq, isNull, or, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { toBigintArray } from '../../database/expressions.ts';
import { groupMessages, groups, tasks } from '../../database/schema/index.ts';
import { createLookup } from '../../lib/async/batch-loader.ts';
import { once } from '../../lib/async/once.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { moveMemories } from '../memory/index.ts';
import { createGroupMessages } from './group-messages.ts';

/** Settings of a group, made by its admins for all members. A missing field means the setting of each user. */
export interface GroupSettings {
  readonly model?: string | undefined;
  /** Key of the persona of conversations that have none of their own. */
  readonly persona?: string | undefined;
  /** System prompt of such conversations, if there is no `persona`. */
  readonly systemPrompt?: string | undefined;
  /** Language of the bot's own texts as an IETF tag (`en`, `ru`). */
  readonly language?: string | undefined;
  /** Whose limits apply: those of the user who asks (default) or the group's. */
  readonly payer?: 'group' | undefined;
  /** Whether a reply to the bot needs no mention to be a question. Default true. */
  readonly answersReplies?: boolean | undefined;
  /** Whether members may schedule tasks, and tasks run. Default true. */
  readonly hasTasks?: boolean | undefined;
  /** Whether models remember things about the group. Default false. */
  readonly hasMemory?: boolean | undefined;
}

/** A group. */
export interface Group {
  readonly settings: GroupSettings;
  /** Whether recent messages of the group are stored. */
  readonly storesRecentMessages: boolean;
  /** Telegram id of the user who let the members of the group use a private service; only by admins this has effect. */
  readonly admittedBy: number | undefined;
  /** Name of the plan set by an operator. */
  readonly plan: string | undefined;
}

/** Settings and recent messages of groups. */
export type Groups = ReturnType<typeof createGroups>;

/** Interval of loading changes made by other processes. */
const LOOK_EVERY_MS = 5000;
const NOTHING_CHOSEN: Group = { settings: {}, storesRecentMessages: false, admittedBy: undefined, plan: undefined };

/** Creates the groups in the database. No timer runs before `start`. */
export function createGroups(deps: { readonly db: Database; readonly clock: Clock; readonly logger: Logger }) {
  const { db, clock, logger } = deps;
  let remembering: ReadonlySet<number> = new Set();
  let cancel = () => {};
  let refreshing: Promise<void> = Promise.resolve();
  let isClosed = false;

  // Called on every update of a group.
  const findRow = createLookup(async (chatIds: readonly number[]) => {
    const rows = await db
      .select()
      .from(groups)
      .where(sql`${groups.chatId} = any(${toBigintArray(chatIds)})`);
    return new Map(rows.map((row) => [row.chatId, row]));
  });
  const refresh = async () => {
    const rows = await db.select({ chatId: groups.chatId }).from(groups).where(eq(groups.storesRecentMessages, true));
    remembering = new Set(rows.map(({ chatId }) => chatId));
  };
  const schedule = () => {
    if (isClosed) return;
    cancel = clock.setTimer(LOOK_EVERY_MS, () => {
      refreshing = refresh()
        .catch((error: unknown) =>
          logger.warn({ reason: describeError(error) }, 'the groups with memory could not be loaded'),
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
        // JSON omits undefined fields.
        set: {
          ...set,
          settings: sql`(${groups.settings} || ${JSON.stringify(changes)}::jsonb) - ${toRemoved(changes)}`,
        },
      })
      .returning();
    return row ? toGroup(row) : NOTHING_CHOSEN;
  };

  return {
    ...createGroupMessages(deps),
    async find(chatId: number): Promise<Group> {
      const row = await findRow(chatId);
      return row ? toGroup(row) : NOTHING_CHOSEN;
    },
    /**
     * Changes the given settings.
     * @param changes fields that are undefined are reset to their default.
     */
    change: (chatId: number, changes: GroupSettings): Promise<Group> => write(chatId, {}, changes),
    /** Switches the storing of recent messages; switching it off deletes the stored ones. */
    async setRemembering(chatId: number, storesRecentMessages: boolean): Promise<Group> {
      const group = await write(chatId, { storesRecentMessages });
      if (!storesRecentMessages) await db.delete(groupMessages).where(eq(groupMessages.chatId, chatId));
      const others = [...remembering].filter((id) => id !== chatId);
      remembering = new Set(storesRecentMessages ? [...others, chatId] : others);
      return group;
    },
    setPlan: (chatId: number, plan: string | undefined): Promise<Group> => write(chatId, { plan: plan ?? null }),
    /** Moves the data of a group that has become a supergroup. Idempotent. */
    async move(fromChatId: number, toChatId: number): Promise<void> {
      await db.transaction(async (tx) => {
        const [known] = await tx.select().from(groups).where(eq(groups.chatId, toChatId));
        const isInUse = and(eq(groups.chatId, fromChatId), isNull(groups.movedToId));
        if (known) {
          await moveMemories(tx, fromChatId, toChatId);
          await tx.update(tasks).set({ groupId: toChatId }).where(eq(tasks.groupId, fromChatId));
          await tx.delete(groups).where(isInUse);
        } else await tx.update(groups).set({ chatId: toChatId }).where(isInUse);
        await tx
          .insert(groups)
          .values({ chatId: fromChatId, movedToId: toChatId })
          .onConflictDoUpdate({ target: groups.chatId, set: { movedToId: toChatId } });
      });
      await refresh();
    },
    /** Returns whether two ids name the same chat: they are equal, or one is the supergroup that the other has become. */
    async isSameChat(chatId: number, otherId: number): Promise<boolean> {
      if (chatId === otherId) return true;
      // Only groups have negative ids, and only groups are migrated.
      if (chatId >= 0 || otherId >= 0) return false;
      const isMove = (from: number, to: number) => and(eq(groups.chatId, from), eq(groups.movedToId, to));
      const moves = await db
        .select({ chatId: groups.chatId })
        .from(groups)
        .where(or(isMove(chatId, otherId), isMove(otherId, chatId)));
      return moves.length > 0;
    },
    /** Returns whether recent messages are stored, from memory: changes by other processes take effect within seconds. */
    isRemembering: (chatId: number): boolean => remembering.has(chatId),
    /**
     * Loads the groups that store recent messages, now and every 5 s.
     * @throws database errors.
     */
    async start(): Promise<void> {
      await refresh();
      schedule();
    },
    close: once(async () => {
      isClosed = true;
      cancel();
      await refreshing;
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

function toGroup(row: typeof groups.$inferSelect): Group {
  const { settings, storesRecentMessages, admitsMembers, admittedBy, plan } = row;
  return {
    settings,
    storesRecentMessages,
    admittedBy: admitsMembers ? (admittedBy ?? undefined) : undefined,
    plan: plan ?? undefined,
  };
}
