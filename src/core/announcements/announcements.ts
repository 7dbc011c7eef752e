import { and, count, eq, inArray, isNotNull, isNull, ne, notExists, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import {
  bans,
  forgottenUsers,
  announcementRecipients as recipients,
  announcements as table,
  users,
} from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { type AdminAction, noteAction } from '../administration/index.ts';
import {
  type Announcement,
  type AnnouncementState,
  type Recipient,
  type RecipientState,
  toCounts,
} from './announcement.ts';

/** What an admin has confirmed. */
export interface AnnouncementOrder
  extends Pick<Announcement, 'adminTelegramId' | 'sourceMessageId' | 'statusMessageId' | 'language' | 'intervalMs'> {}

/** What an admin can still do about an announcement. */
export type AnnouncementChange = 'pause' | 'resume' | 'cancel';

/** Announcements and who has got them, in the database: one at a time, each to a person once. */
export interface Announcements {
  /** How many people would get one now: everybody with a private chat but the admin, people who are banned, and those known to have blocked the bot. */
  countAudience(adminTelegramId: number): Promise<number>;
  /** @returns `already`: it was confirmed before, and is not sent again; `busy`: another one has not ended. */
  start(order: AnnouncementOrder): Promise<'started' | 'already' | 'busy'>;
  /** @returns false where it is too late for that. */
  change(id: number, change: AnnouncementChange, adminTelegramId: number): Promise<boolean>;
  find(id: number): Promise<Announcement | undefined>;
  findBySource(adminTelegramId: number, sourceMessageId: number): Promise<Announcement | undefined>;
  /** For whoever sends: the oldest one whose end the admin was not told. */
  findCurrent(): Promise<Announcement | undefined>;
  /** Sends that a process had begun, and whose end it never noted, count as unclear. Asked by the only one that sends. */
  declareUnclear(): Promise<void>;
  /** Takes the next person, who is taken only once; undefined where nobody is left, or the announcement is not being sent. */
  claim(id: number): Promise<Recipient | undefined>;
  /**
   * Notes what came of a send; somebody who is `blocked` gets no further announcements until they write again.
   * @param outcome `waiting`: surely not sent; the person is taken again after the others.
   */
  settle(id: number, userId: number, outcome: Exclude<RecipientState, 'sending'>): Promise<void>;
  /** The message to be copied is no more. */
  giveUp(id: number): Promise<void>;
  /** Ends it where nothing is left to do: then only the numbers are kept. @returns false where something is. */
  end(id: number): Promise<boolean>;
  /** The admin knows of its end. */
  noteTold(id: number): Promise<void>;
}

const CHANGES = {
  pause: { from: ['sending'], to: 'paused', action: 'pause-announcement' },
  resume: { from: ['paused'], to: 'sending', action: 'resume-announcement' },
  cancel: { from: ['sending', 'paused'], to: 'cancelled', action: 'cancel-announcement' },
} as const satisfies Record<
  AnnouncementChange,
  { from: readonly AnnouncementState[]; to: AnnouncementState; action: AdminAction['action'] }
>;

export function createAnnouncements({ db, clock }: { readonly db: Database; readonly clock: Clock }): Announcements {
  const now = () => new Date(clock.now());

  const toAnnouncement = async (row: typeof table.$inferSelect | undefined): Promise<Announcement | undefined> => {
    if (!row) return undefined;
    const { id, adminTelegramId, sourceMessageId, statusMessageId, language, state, intervalMs } = row;
    const counts = toCounts(row.counts ?? (await countRecipients(db, id)));
    const hasEnded = row.endedAt !== null;
    return { id, adminTelegramId, sourceMessageId, statusMessageId, language, state, intervalMs, hasEnded, counts };
  };

  return {
    async countAudience(adminTelegramId) {
      const [row] = await db.select({ count: count() }).from(users).where(isMeant(db, adminTelegramId));
      return row?.count ?? 0;
    },
    start: (order) =>
      db.transaction(async (tx) => {
        const { adminTelegramId, sourceMessageId } = order;
        const [made] = await tx
          .insert(table)
          .values({ ...order, createdAt: now() })
          .onConflictDoNothing()
          .returning({ id: table.id });
        if (!made) {
          const isSame = and(eq(table.adminTelegramId, adminTelegramId), eq(table.sourceMessageId, sourceMessageId));
          const [known] = await tx.select({ id: table.id }).from(table).where(isSame);
          return known ? 'already' : 'busy';
        }
        const announcementId = sql<number>`${made.id}::bigint`.as('announcement_id');
        const state = sql<RecipientState>`'waiting'`.as('state');
        const deferrals = sql<number>`0`.as('deferrals');
        const meant = tx
          .select({ announcementId, userId: users.id, state, deferrals })
          .from(users)
          .where(isMeant(tx, adminTelegramId));
        await tx.insert(recipients).select(meant);
        const subject = `${made.id}`;
        await noteAction(tx, { adminTelegramId, action: 'announce', subject, reason: '', createdAt: now() });
        return 'started';
      }),
    change: (id, change, adminTelegramId) =>
      db.transaction(async (tx) => {
        const { from, to, action } = CHANGES[change];
        const [changed] = await tx
          .update(table)
          .set({ state: to })
          .where(and(eq(table.id, id), inArray(table.state, [...from]), isNull(table.endedAt)))
          .returning({ id: table.id });
        if (!changed) return false;
        await noteAction(tx, { adminTelegramId, action, subject: `${id}`, reason: '', createdAt: now() });
        return true;
      }),
    async find(id) {
      const [row] = await db.select().from(table).where(eq(table.id, id));
      return toAnnouncement(row);
    },
    async findBySource(adminTelegramId, sourceMessageId) {
      const isMade = and(eq(table.adminTelegramId, adminTelegramId), eq(table.sourceMessageId, sourceMessageId));
      const [row] = await db.select().from(table).where(isMade);
      return toAnnouncement(row);
    },
    async findCurrent() {
      const [row] = await db.select().from(table).where(isNull(table.toldAt)).orderBy(table.id).limit(1);
      return toAnnouncement(row);
    },
    async declareUnclear() {
      await db.update(recipients).set({ state: 'unclear' }).where(eq(recipients.state, 'sending'));
    },
    async claim(id) {
      const isNext = and(eq(recipients.announcementId, id), eq(recipients.state, 'waiting'));
      // Its state is read in the same statement: after a pause nobody more is taken.
      const isSent = sql`exists (select 1 from ${table} where ${table.id} = ${id} and ${table.state} = 'sending')`;
      const next = db
        .select({ userId: recipients.userId })
        .from(recipients)
        .where(and(isNext, isSent))
        .orderBy(recipients.deferrals, recipients.userId)
        .limit(1)
        .for('update', { skipLocked: true });
      // Compared with one value, not looked for in a list: a planner may ask for a list once for each row, and lock another row each time.
      const [row] = await db
        .update(recipients)
        .set({ state: 'sending' })
        .from(users)
        .where(and(isNext, eq(users.id, recipients.userId), eq(recipients.userId, sql`(${next})`)))
        .returning({ userId: recipients.userId, telegramId: users.telegramId });
      return row && { userId: row.userId, telegramId: row.telegramId ?? 0 };
    },
    settle: (id, userId, outcome) =>
      db.transaction(async (tx) => {
        const isUnderWay = inArray(recipients.state, ['sending', 'unclear']);
        await tx
          .update(recipients)
          .set({ state: outcome, ...(outcome === 'waiting' && { deferrals: sql`${recipients.deferrals} + 1` }) })
          .where(and(eq(recipients.announcementId, id), eq(recipients.userId, userId), isUnderWay));
        if (outcome !== 'blocked') return;
        const isNews = and(eq(users.id, userId), isNull(users.unreachableSince));
        await tx.update(users).set({ unreachableSince: now() }).where(isNews);
      }),
    async giveUp(id) {
      await db
        .update(table)
        .set({ state: 'gone' })
        .where(and(eq(table.id, id), inArray(table.state, ['sending', 'paused'])));
    },
    end: (id) =>
      db.transaction(async (tx) => {
        const [row] = await tx.select().from(table).where(eq(table.id, id)).for('update');
        if (!row || row.endedAt) return row !== undefined;
        const counts = toCounts(await countRecipients(tx, id));
        const isOver = row.state === 'cancelled' || row.state === 'gone';
        if (row.state === 'paused' || counts.sending > 0 || (counts.waiting > 0 && !isOver)) return false;
        const state = isOver ? row.state : 'done';
        await tx.update(table).set({ state, counts, endedAt: now() }).where(eq(table.id, id));
        await tx.delete(recipients).where(eq(recipients.announcementId, id));
        return true;
      }),
    async noteTold(id) {
      await db.update(table).set({ toldAt: now() }).where(eq(table.id, id));
    },
  };
}

/** Who gets an announcement of this admin, who has it in their chat already. */
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

async function countRecipients(db: Database, id: number): Promise<Readonly<Record<string, number>>> {
  const { state, announcementId } = recipients;
  const rows = await db.select({ state, count: count() }).from(recipients).where(eq(announcementId, id)).groupBy(state);
  return Object.fromEntries(rows.map((row) => [row.state, row.count]));
}
