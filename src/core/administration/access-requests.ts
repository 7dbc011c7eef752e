import { and, asc, desc, eq, gt, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { accessNotices, accessRequests } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import { type AdministrationDeps, createAdministration } from './administration.ts';
import { assignPlan } from './assign-plan.ts';
import { recordAction } from './audit-log.ts';
import { closeRequest } from './close-request.ts';

/** Request of an account for access to a private service. */
export interface AccessRequest {
  readonly telegramId: number;
  /** Name and username as Telegram showed them when the account asked. */
  readonly name: string;
  /** Language of the account's app as an IETF tag. */
  readonly language: string | undefined;
  readonly state: AccessRequestState;
  readonly askedAt: Date;
  /** Telegram id of the admin who has decided. */
  readonly decidedBy: number | undefined;
  readonly decidedAt: Date | undefined;
  /** Newest message id of the chat when a process began to tell the account; undefined: none has. */
  readonly tellingAfterId: number | undefined;
}

export type AccessRequestState = (typeof accessRequests.$inferSelect)['state'];

/** An admin's decision about a request. */
export type AccessDecision =
  | { readonly kind: 'allow'; readonly plan?: string | undefined }
  | { readonly kind: 'ignore' }
  | { readonly kind: 'block' };

/** The message to an admin that lists the open requests. */
export interface AccessNotice {
  readonly adminTelegramId: number;
  readonly messageId: number;
  /** Account whose request it shows. */
  readonly shownTelegramId: number | null;
  /** Hash of what it shows. */
  readonly content: string;
  readonly sentAt: Date;
}

/** Requests that wait for a decision at a time. Further accounts are told to try again later. */
const MAX_OPEN_REQUESTS = 100;
const DAY_MS = 86_400_000;
/** Age at which a request without a decision lapses. */
const MAX_AGE_MS = 7 * DAY_MS;
const MAX_NAME_CHARACTERS = 100;

/** Creates requests for access and the decisions about them. Each decision is made once, over all processes. */
export function createAccessRequests(deps: AdministrationDeps) {
  const { db, clock } = deps;
  const now = () => new Date(clock.now());
  const ago = (ms: number) => new Date(clock.now() - ms);
  /** Requests that have lapsed but were not swept yet do not count. */
  const isWaiting = () => and(eq(accessRequests.state, 'open'), gt(accessRequests.askedAt, ago(MAX_AGE_MS)));
  const decideIn = async (tx: Database, request: DecisionRequest): Promise<DecisionOutcome> => {
    const { telegramId, adminTelegramId, keyId, decision } = request;
    const isTheirs = eq(accessRequests.telegramId, telegramId);
    const [row] = await tx.select().from(accessRequests).where(isTheirs).for('update');
    if (!row) return 'gone';
    if (row.state !== 'open') return toRequest(row);
    const action = { adminTelegramId, keyId, telegramId, reason: '' };
    const administration = createAdministration({
      db: tx,
      clock,
      adminIds: deps.adminIds,
      allowedIds: deps.allowedIds,
    });
    if (decision.kind === 'allow') await administration.allow(action);
    if (decision.kind === 'block' && (await administration.ban(action)) === 'admin') {
      await tx.delete(accessRequests).where(isTheirs);
      return 'admin';
    }
    if (decision.kind === 'ignore')
      await recordAction(tx, {
        adminTelegramId,
        keyId,
        action: 'ignore-request',
        subject: `${telegramId}`,
        reason: '',
        createdAt: now(),
      });
    if (decision.kind === 'allow' && decision.plan !== undefined)
      await assignPlan(tx, { ...action, plan: decision.plan, createdAt: now() });
    await closeRequest(tx, { telegramId, adminTelegramId, state: STATES[decision.kind], decidedAt: now() });
    return 'decided';
  };

  return {
    /**
     * Stores a request, once a day for each account.
     * @returns `already` if the account has asked within a day or its request is open; `full` if too many are open.
     */
    ask: ({ telegramId, name, language }: Pick<AccessRequest, 'telegramId' | 'name' | 'language'>) =>
      db.transaction(async (tx): Promise<'asked' | 'already' | 'full'> => {
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('access-requests', 0))`);
        const [known] = await tx.select().from(accessRequests).where(eq(accessRequests.telegramId, telegramId));
        const isRecent = known && known.askedAt > ago(known.state === 'open' ? MAX_AGE_MS : DAY_MS);
        if (isRecent && known.state !== 'allowed') return 'already';
        if ((await tx.$count(accessRequests, isWaiting())) >= MAX_OPEN_REQUESTS) return 'full';
        const values = {
          name: toStorableText(Array.from(name).slice(0, MAX_NAME_CHARACTERS).join('')),
          language: language ?? null,
          ...{ state: 'open' as const, askedAt: now(), decidedAt: null, decidedBy: null },
          ...{ tellingAfterId: null, toldAt: null },
        };
        await tx
          .insert(accessRequests)
          .values({ telegramId, ...values })
          .onConflictDoUpdate({ target: accessRequests.telegramId, set: values });
        return 'asked';
      }),
    /** Lists the open requests, oldest first. */
    async listOpen(): Promise<readonly AccessRequest[]> {
      const rows = await db
        .select()
        .from(accessRequests)
        .where(isWaiting())
        .orderBy(asc(accessRequests.askedAt), asc(accessRequests.telegramId))
        .limit(MAX_OPEN_REQUESTS);
      return rows.map(toRequest);
    },
    /** Returns the request of an account, decided or not; undefined if there is none, or it has lapsed. */
    async find(telegramId: number): Promise<AccessRequest | undefined> {
      const isTheirs = eq(accessRequests.telegramId, telegramId);
      const isKnown = and(isTheirs, or(isWaiting(), isNotNull(accessRequests.decidedAt)));
      const [row] = await db.select().from(accessRequests).where(isKnown);
      return row && toRequest(row);
    },
    /** Lists the latest decisions since a time, newest first. */
    async listDecided(since: Date, limit: number): Promise<readonly AccessRequest[]> {
      const rows = await db
        .select()
        .from(accessRequests)
        .where(gt(accessRequests.decidedAt, since))
        .orderBy(desc(accessRequests.decidedAt))
        .limit(limit);
      return rows.map(toRequest);
    },
    /**
     * Decides about an open request, with entries in the audit log.
     * @returns the request as it was decided before; `gone` if there is none; `admin` if the account to block is an admin
     * by now: then the request is deleted.
     */
    decide: (request: DecisionRequest): Promise<DecisionOutcome> => db.transaction((tx) => decideIn(tx, request)),
    /** Lists accounts that were allowed and not told so. */
    async listToTell(limit: number): Promise<readonly AccessRequest[]> {
      const rows = await db
        .select()
        .from(accessRequests)
        .where(and(eq(accessRequests.state, 'allowed'), isNull(accessRequests.toldAt)))
        .orderBy(asc(accessRequests.decidedAt))
        .limit(limit);
      return rows.map(toRequest);
    },
    /** Records that the account is being told, or that it was not. A crash leaves it so. */
    async recordTelling(telegramId: number, tellingAfterId: number | null): Promise<void> {
      await db.update(accessRequests).set({ tellingAfterId }).where(eq(accessRequests.telegramId, telegramId));
    },
    async recordTold(telegramId: number): Promise<void> {
      await db.update(accessRequests).set({ toldAt: now() }).where(eq(accessRequests.telegramId, telegramId));
    },
    /** Lists the messages to all admins, also to former ones. */
    listNotices: (): Promise<readonly AccessNotice[]> => db.select().from(accessNotices),
    /** Stores the message that an admin sees. Its time stays when it is only edited. */
    async writeNotice(notice: AccessNotice): Promise<void> {
      await db
        .insert(accessNotices)
        .values(notice)
        .onConflictDoUpdate({ target: accessNotices.adminTelegramId, set: notice });
    },
    async removeNotice(adminTelegramId: number): Promise<void> {
      await db.delete(accessNotices).where(eq(accessNotices.adminTelegramId, adminTelegramId));
    },
    /** Deletes requests a day after their decision, and those that have lapsed. */
    async sweep(): Promise<void> {
      const isOver = or(lt(accessRequests.decidedAt, ago(DAY_MS)), lt(accessRequests.askedAt, ago(MAX_AGE_MS)));
      await db.delete(accessRequests).where(isOver);
    },
  };
}

interface DecisionRequest {
  readonly adminTelegramId: number;
  /** API key by which the admin acts; undefined: in the chat or the console. */
  readonly keyId?: number | undefined;
  readonly telegramId: number;
  readonly decision: AccessDecision;
}

type DecisionOutcome = 'decided' | 'gone' | 'admin' | AccessRequest;

const STATES = { allow: 'allowed', ignore: 'ignored', block: 'blocked' } as const;

function toRequest(row: typeof accessRequests.$inferSelect): AccessRequest {
  const { telegramId, name, state, askedAt } = row;
  return {
    telegramId,
    name,
    language: row.language ?? undefined,
    state,
    askedAt,
    decidedBy: row.decidedBy ?? undefined,
    decidedAt: row.decidedAt ?? undefined,
    tellingAfterId: row.tellingAfterId ?? undefined,
  };
}
