import { and, count, eq, inArray, isNotNull, isNull, ne, notExists, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import {
  bans,
  forgottenUsers,
  broadcastRecipients as recipients,
  broadcasts as table,
  users,
} from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { type AdminAction, recordAction } from '../administration/index.ts';
import {
  type Broadcast,
  type BroadcastCounts,
  type BroadcastState,
  type Recipient,
  type RecipientState,
  toCounts,
} from './broadcast.ts';

/** A broadcast as confirmed by the admin. */
export interface BroadcastParams
  extends Pick<Broadcast, 'adminTelegramId' | 'sourceMessageId' | 'statusMessageId' | 'language' | 'intervalMs'> {}

/** An admin's change to a running broadcast. */
export type BroadcastChange = 'pause' | 'resume' | 'cancel';

/**
 * Broadcasts and their recipients in the database. One broadcast runs at a time; each recipient gets it at most once.
 */
export type Broadcasts = ReturnType<typeof createBroadcasts>;

const CHANGES = {
  pause: { from: ['sending'], to: 'paused', action: 'pause-broadcast' },
  resume: { from: ['paused'], to: 'sending', action: 'resume-broadcast' },
  cancel: { from: ['sending', 'paused'], to: 'cancelled', action: 'cancel-broadcast' },
} as const satisfies Record<
  BroadcastChange,
  { from: readonly BroadcastState[]; to: BroadcastState; action: AdminAction['action'] }
>;

export function createBroadcasts({ db, clock }: { readonly db: Database; readonly clock: Clock }) {
  const now = () => new Date(clock.now());

  const toBroadcast = async (row: typeof table.$inferSelect | undefined): Promise<Broadcast | undefined> => {
    if (!row) return undefined;
    const { id, adminTelegramId, sourceMessageId, statusMessageId, language, state, intervalMs } = row;
    const counts = await readCounts(db, row);
    const hasEnded = row.endedAt !== null;
    return { id, adminTelegramId, sourceMessageId, statusMessageId, language, state, intervalMs, hasEnded, counts };
  };

  return {
    /**
     * Counts the recipients of a broadcast started now: all users with a private chat, except the admin, banned users,
     * and users known to have blocked the bot.
     */
    countReachableUsers: (adminTelegramId: number): Promise<number> => db.$count(users, isMeant(db, adminTelegramId)),
    /**
     * Starts a broadcast.
     * @returns `already` if the same message was confirmed before; `busy` if another broadcast is running.
     */
    start: (params: BroadcastParams): Promise<'started' | 'already' | 'busy'> =>
      db.transaction(async (tx) => {
        const { adminTelegramId, sourceMessageId } = params;
        const [made] = await tx
          .insert(table)
          .values({ ...params, createdAt: now() })
          .onConflictDoNothing()
          .returning({ id: table.id });
        if (!made) {
          const isSame = and(eq(table.adminTelegramId, adminTelegramId), eq(table.sourceMessageId, sourceMessageId));
          const [known] = await tx.select({ id: table.id }).from(table).where(isSame);
          return known ? 'already' : 'busy';
        }
        const broadcastId = sql<number>`${made.id}::bigint`.as('broadcast_id');
        const state = sql<RecipientState>`'waiting'`.as('state');
        const deferrals = sql<number>`0`.as('deferrals');
        const meant = tx
          .select({ broadcastId, userId: users.id, state, deferrals })
          .from(users)
          .where(isMeant(tx, adminTelegramId));
        await tx.insert(recipients).select(meant);
        const subject = `${made.id}`;
        await recordAction(tx, { adminTelegramId, action: 'broadcast', subject, reason: '', createdAt: now() });
        return 'started';
      }),
    /**
     * Pauses, resumes or cancels a broadcast.
     * @returns false if its state doesn't allow the change.
     */
    change: (id: number, change: BroadcastChange, adminTelegramId: number): Promise<boolean> =>
      db.transaction(async (tx) => {
        const { from, to, action } = CHANGES[change];
        const [changed] = await tx
          .update(table)
          .set({ state: to })
          .where(and(eq(table.id, id), inArray(table.state, [...from]), isNull(table.endedAt)))
          .returning({ id: table.id });
        if (!changed) return false;
        await recordAction(tx, { adminTelegramId, action, subject: `${id}`, reason: '', createdAt: now() });
        return true;
      }),
    async find(id: number): Promise<Broadcast | undefined> {
      const [row] = await db.select().from(table).where(eq(table.id, id));
      return toBroadcast(row);
    },
    async findBySource(adminTelegramId: number, sourceMessageId: number): Promise<Broadcast | undefined> {
      const isMade = and(eq(table.adminTelegramId, adminTelegramId), eq(table.sourceMessageId, sourceMessageId));
      const [row] = await db.select().from(table).where(isMade);
      return toBroadcast(row);
    },
    /** Returns the oldest broadcast whose end was not reported to the admin yet. */
    async findCurrent(): Promise<Broadcast | undefined> {
      const [row] = await db.select().from(table).where(isNull(table.notifiedAt)).orderBy(table.id).limit(1);
      return toBroadcast(row);
    },
    /**
     * Marks sends that a process started and did not finish as unclear. Call it from the only sender, when no send is
     * running.
     */
    async declareUnclear(): Promise<void> {
      await db.update(recipients).set({ state: 'unclear' }).where(eq(recipients.state, 'sending'));
    },
    /**
     * Claims the next recipient; each can be claimed only once. Undefined if none is left, or the broadcast is not in
     * state `sending`.
     */
    async claim(id: number): Promise<Recipient | undefined> {
      const isNext = and(eq(recipients.broadcastId, id), eq(recipients.state, 'waiting'));
      // The state is checked in the same statement, so that no recipient is claimed after a pause.
      const isSent = sql`exists (select 1 from ${table} where ${table.id} = ${id} and ${table.state} = 'sending')`;
      const next = db
        .select({ userId: recipients.userId })
        .from(recipients)
        .where(and(isNext, isSent))
        .orderBy(recipients.deferrals, recipients.userId)
        .limit(1)
        .for('update', { skipLocked: true });
      // A scalar subquery, not `in`: the planner may evaluate an `in` subquery once per row and lock another row each
      // time.
      const [row] = await db
        .update(recipients)
        .set({ state: 'sending' })
        .from(users)
        .where(and(isNext, eq(users.id, recipients.userId), eq(recipients.userId, sql`(${next})`)))
        .returning({ userId: recipients.userId, telegramId: users.telegramId });
      return row && { userId: row.userId, telegramId: row.telegramId ?? 0 };
    },
    /**
     * Stores the outcome of a send. A `blocked` user gets no further broadcasts until they write to the bot again.
     * @param outcome `waiting`: certainly not sent; the recipient is retried after the others.
     */
    settle: (id: number, userId: number, outcome: Exclude<RecipientState, 'sending'>): Promise<void> =>
      db.transaction(async (tx) => {
        const isUnderWay = inArray(recipients.state, ['sending', 'unclear']);
        await tx
          .update(recipients)
          .set({ state: outcome, ...(outcome === 'waiting' && { deferrals: sql`${recipients.deferrals} + 1` }) })
          .where(and(eq(recipients.broadcastId, id), eq(recipients.userId, userId), isUnderWay));
        if (outcome !== 'blocked') return;
        const isNews = and(eq(users.id, userId), isNull(users.unreachableSince));
        await tx.update(users).set({ unreachableSince: now() }).where(isNews);
      }),
    /** Stops a broadcast whose message was deleted. */
    async giveUp(id: number): Promise<void> {
      await db
        .update(table)
        .set({ state: 'gone' })
        .where(and(eq(table.id, id), inArray(table.state, ['sending', 'paused'])));
    },
    /**
     * Ends a broadcast if nothing is left to send, and deletes its recipients, keeping only the counts.
     * @returns false if something is left.
     */
    end: (id: number): Promise<boolean> =>
      db.transaction(async (tx) => {
        const [row] = await tx.select().from(table).where(eq(table.id, id)).for('update');
        if (!row || row.endedAt) return row !== undefined;
        const counts = toCounts(await countRecipients(tx, id));
        const isOver = row.state === 'cancelled' || row.state === 'gone';
        if (row.state === 'paused' || counts.sending > 0 || (counts.waiting > 0 && !isOver)) return false;
        const state = isOver ? row.state : 'done';
        await tx.update(table).set({ state, counts, endedAt: now() }).where(eq(table.id, id));
        await tx.delete(recipients).where(eq(recipients.broadcastId, id));
        return true;
      }),
    /** Stores that the end was reported to the admin. */
    async recordNotice(id: number): Promise<void> {
      await db.update(table).set({ notifiedAt: now() }).where(eq(table.id, id));
    },
  };
}

/** Returns the condition for recipients. The admin is excluded: the message is in their chat already. */
function isMeant(db: Database, adminTelegramId: number) {
  const one = sql`1`;
  const banned = db.select({ one }).from(bans).where(eq(bans.telegramId, users.telegramId));
  const forgotten = db.select({ one }).from(forgottenUsers).where(eq(forgottenUsers.userId, users.id));
  return and(
    isNotNull(users.telegramId),
    ne(users.telegramId, adminTelegramId),
    isNull(users.unreachableSince),
    notExists(banned),
    notExists(forgotten),
  );
}

/** Returns the numbers of recipients: those stored at the end, or those of now. */
export async function readCounts(
  db: Database,
  { id, counts }: Pick<typeof table.$inferSelect, 'id' | 'counts'>,
): Promise<BroadcastCounts> {
  return toCounts(counts ?? (await countRecipients(db, id)));
}

async function countRecipients(db: Database, id: number): Promise<Readonly<Record<string, number>>> {
  const { state, broadcastId } = recipients;
  const rows = await db.select({ state, count: count() }).from(recipients).where(eq(broadcastId, id)).groupBy(state);
  return Object.fromEntries(rows.map((row) => [row.state, row.count]));
}
