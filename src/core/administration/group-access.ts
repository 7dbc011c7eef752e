import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { groupAdmissions, groups } from '../../database/schema/index.ts';
import { createCache } from '../../lib/async/cache.ts';
import { QueueFullError, WorkQueue } from '../../lib/async/work-queue.ts';
import type { Clock } from '../../lib/clock.ts';
import { recordAction } from './audit-log.ts';

/** Returns whether an account is a member of a group; undefined if Telegram does not answer. */
type FindMember = (groupId: number, telegramId: number) => Promise<boolean | undefined>;

/** Look-ups of groups in Telegram. */
export interface GroupLookups {
  readonly findMember: FindMember;
  /** Returns the title of a group; undefined if Telegram does not answer in time. Never throws. */
  readonly findTitle: (groupId: number) => Promise<string | undefined>;
}

/** A group whose members an admin has let into a private service. */
export interface AdmittedGroup {
  readonly chatId: number;
  readonly title: string | undefined;
  /** Telegram id of the admin; undefined if it is not known. */
  readonly admittedBy: number | undefined;
  /** False if the one who let the members in is no admin any more: then they get no access. */
  readonly isInForce: boolean;
}

/** Groups that admit their members, at a time. Each costs a call of Telegram for each account that is no member. */
const MAX_ADMITTING_GROUPS = 10;
/** Time for which a membership counts without asking Telegram again. */
export const MEMBERSHIP_MS = 5 * 60_000;
/** Time for which the last known membership counts while Telegram does not answer. */
const STALE_MS = 60 * 60_000;
/** Time for which an account that is no member is not looked up again. */
const STRANGER_MS = 60_000;
const MAX_STRANGERS = 10_000;
/** Bounds memory: groups that admit members, also those let in by former admins. */
const MAX_GROUPS_READ = 100;
/** Groups that are listed. The title of each costs a call of Telegram. */
const MAX_LISTED = 20;
/** Interval of loading the groups. */
const GROUPS_MS = 5000;
/** Look-ups of accounts; beyond them the last known membership counts. */
const BOUNDS = { total: 4, maxWaiting: 100 };

interface GroupAccessDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Telegram ids of the admins. Read on every call. */
  readonly adminIds: readonly number[];
}

/** Returns the condition for groups that admit their members by the word of one of these admins. */
export function isAdmittedBy(adminIds: readonly number[]) {
  return and(eq(groups.admitsMembers, true), inArray(groups.admittedBy, [...adminIds]));
}

/** Creates the access of members of groups to a private service. */
export function createGroupAccess(deps: GroupAccessDeps) {
  const { db, clock } = deps;
  const isAdmin = (telegramId: number | null | undefined) => deps.adminIds.some((id) => id === telegramId);
  let lookups: GroupLookups = { findMember: async () => undefined, findTitle: async () => undefined };
  let loaded = { atMs: Number.NEGATIVE_INFINITY, rows: [] as readonly (typeof groups.$inferSelect)[] };
  const strangers = createCache<number, true>(clock, { max: MAX_STRANGERS, ttlMs: STRANGER_MS });
  const running = new Map<number, Promise<boolean>>();
  const queue = new WorkQueue(BOUNDS);
  const now = () => new Date(clock.now());

  const readGroups = () =>
    db.select().from(groups).where(eq(groups.admitsMembers, true)).orderBy(asc(groups.chatId)).limit(MAX_GROUPS_READ);
  const listGroups = async () => {
    if (clock.now() - loaded.atMs >= GROUPS_MS) loaded = { atMs: clock.now(), rows: await readGroups() };
    const inForce = loaded.rows.filter(({ admittedBy }) => isAdmin(admittedBy));
    return inForce.slice(0, MAX_ADMITTING_GROUPS).map(({ chatId }) => chatId);
  };
  const wasIn = async (groupIds: readonly number[], telegramId: number): Promise<boolean> => {
    const isTheirs = and(eq(groupAdmissions.telegramId, telegramId), inArray(groupAdmissions.chatId, [...groupIds]));
    const isRecent = gt(groupAdmissions.checkedAt, new Date(clock.now() - STALE_MS));
    return (await db.$count(groupAdmissions, and(isTheirs, isRecent))) > 0;
  };
  const isIn = async (chatId: number, telegramId: number): Promise<boolean> => {
    const isMember = await lookups.findMember(chatId, telegramId);
    if (isMember === undefined) return wasIn([chatId], telegramId);
    const isThat = and(eq(groupAdmissions.telegramId, telegramId), eq(groupAdmissions.chatId, chatId));
    if (!isMember) {
      await db.delete(groupAdmissions).where(isThat);
      return false;
    }
    await db
      .insert(groupAdmissions)
      .values({ chatId, telegramId, checkedAt: now() })
      .onConflictDoUpdate({
        target: [groupAdmissions.telegramId, groupAdmissions.chatId],
        set: { checkedAt: now() },
      });
    return true;
  };
  const lookUp = async (telegramId: number, groupIds: readonly number[]) => {
    for (const chatId of groupIds) if (await isIn(chatId, telegramId)) return true;
    strangers.set(telegramId, true);
    return false;
  };

  return {
    /** Sets how groups are looked up. Until then, only memberships that are stored count. */
    useTelegram(telegram: GroupLookups): void {
      lookups = telegram;
    },
    /** Returns whether an account is a member of a group that admits its members. Never throws for a full queue. */
    async isMember(telegramId: number): Promise<boolean> {
      const groupIds = await listGroups();
      if (groupIds.length === 0 || strangers.has(telegramId)) return false;
      const first = running.get(telegramId);
      if (first !== undefined) return first;
      const lookup = queue
        .run(() => lookUp(telegramId, groupIds))
        .catch((error: unknown) => {
          if (error instanceof QueueFullError) return wasIn(groupIds, telegramId);
          throw error;
        })
        .finally(() => running.delete(telegramId));
      running.set(telegramId, lookup);
      return lookup;
    },
    /** Returns whether the members of a group have access. */
    isAdmitting: ({ admittedBy }: Pick<AdmittedGroup, 'admittedBy'>): boolean => isAdmin(admittedBy),
    /** Lists groups whose members were let in, at most 20; those by former admins last. */
    async listAdmitted(): Promise<readonly AdmittedGroup[]> {
      const all = (await readGroups()).map(({ chatId, admittedBy }) => ({
        ...{ chatId, admittedBy: admittedBy ?? undefined, isInForce: isAdmin(admittedBy) },
      }));
      const listed = all.toSorted((one, other) => Number(other.isInForce) - Number(one.isInForce)).slice(0, MAX_LISTED);
      return Promise.all(listed.map(async (each) => ({ ...each, title: await lookups.findTitle(each.chatId) })));
    },
    /**
     * Lets the members of a group in, or no longer.
     * @param keyId API key by which the admin acts. Default: in the chat or the console.
     * @returns `full` if too many groups do.
     */
    async setAdmitting(
      chatId: number,
      admitsMembers: boolean,
      adminTelegramId: number,
      keyId?: number,
    ): Promise<'done' | 'already' | 'full'> {
      const outcome = await db.transaction(async (tx) => {
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('admitting-groups', 0))`);
        const [group] = await tx.select().from(groups).where(eq(groups.chatId, chatId));
        const isSwitchedOn = group?.admitsMembers ?? false;
        if (admitsMembers ? isSwitchedOn && isAdmin(group?.admittedBy) : !isSwitchedOn) return 'already';
        const countNow = await tx.$count(groups, isAdmittedBy(deps.adminIds));
        if (admitsMembers && countNow >= MAX_ADMITTING_GROUPS) return 'full';
        const values = { admitsMembers, admittedBy: admitsMembers ? adminTelegramId : null };
        await tx
          .insert(groups)
          .values({ chatId, ...values })
          .onConflictDoUpdate({ target: groups.chatId, set: values });
        if (!admitsMembers) await tx.delete(groupAdmissions).where(eq(groupAdmissions.chatId, chatId));
        const action = admitsMembers ? 'admit-group' : 'dismiss-group';
        await recordAction(tx, { adminTelegramId, keyId, action, subject: `${chatId}`, reason: '', createdAt: now() });
        return 'done';
      });
      loaded = { ...loaded, atMs: Number.NEGATIVE_INFINITY };
      strangers.clear();
      return outcome;
    },
    /** Ends the admission of a group that the bot has left. */
    async removeGroup(chatId: number): Promise<void> {
      await db
        .update(groups)
        .set({ admitsMembers: false, admittedBy: null })
        .where(and(eq(groups.chatId, chatId), eq(groups.admitsMembers, true)));
      await db.delete(groupAdmissions).where(eq(groupAdmissions.chatId, chatId));
      loaded = { ...loaded, atMs: Number.NEGATIVE_INFINITY };
    },
    /** Deletes memberships that do not count any more. */
    async sweep(): Promise<void> {
      const before = new Date(clock.now() - STALE_MS);
      await db.delete(groupAdmissions).where(sql`${groupAdmissions.checkedAt} < ${before.toISOString()}::timestamptz`);
    },
  };
}
