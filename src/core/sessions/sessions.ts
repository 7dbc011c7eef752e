import { and, desc, eq, gt, lt, ne, notInArray } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { lockUser } from '../../database/lock-user.ts';
import { sessions, signInCodes, users } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import type { Clock } from '../../lib/clock.ts';
import { createSecret, hashSecret } from '../../lib/ids.ts';

/** A session of the console as its user sees it. */
export interface Session {
  readonly id: number;
  /** How it began: in Telegram, by a link from the bot, or on the playground. */
  readonly origin: 'mini-app' | 'link' | 'playground';
  /** `User-Agent` of the client. */
  readonly userAgent: string;
  readonly createdAt: Date;
  /** To the minute. */
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
}

/** A session with its token, which can't be read again. */
export interface NewSession {
  readonly session: Session;
  readonly token: string;
}

/** User of a session. */
export interface SessionIdentity {
  readonly sessionId: number;
  readonly userId: number;
  readonly telegramId: number;
  /** Whether the user is an admin now. */
  readonly isAdmin: boolean;
}

/** Facts that a session begins with. */
export type NewSessionRequest = Pick<Session, 'origin' | 'userAgent'>;

/** Sign-in to the console: one-time codes, and sessions with tokens. */
export type Sessions = ReturnType<typeof createSessions>;

/** Prefix of every token, by which it is told from an API key. */
export const SESSION_PREFIX = 'st-sb-';
/** Maximum number of sessions of a user. */
export const MAX_SESSIONS = 10;
const CODE_LIFETIME_MS = 5 * 60_000;
/** Telegram signs in again each time it opens the Mini App; a browser does not. */
const LIFETIME_MS = { 'mini-app': 3_600_000, link: 12 * 3_600_000, playground: 12 * 3_600_000 };
/** Interval at which the last use is written. */
const USE_INTERVAL_MS = 60_000;
const MAX_USER_AGENT_LENGTH = 300;

export interface SessionsDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Telegram ids of the admins. Read on every call, so that a reloaded configuration takes effect. */
  readonly adminIds: readonly number[];
  /** Returns whether a Telegram account may use the service. */
  readonly isAdmitted: (telegramId: number) => Promise<boolean>;
}

export function createSessions(deps: SessionsDeps) {
  const { db, clock } = deps;
  const begin = (tx: Database, userId: number, { origin, userAgent }: NewSessionRequest) =>
    beginSession(tx, clock.now(), { userId, origin, userAgent: toKnownAgent(userAgent) });

  return {
    /** Creates the code of a sign-in link. It works once, for `CODE_LIFETIME_MS`; earlier ones of the user end. */
    async createCode(userId: number): Promise<{ readonly code: string; readonly expiresAt: Date }> {
      const code = createSecret();
      const expiresAt = new Date(clock.now() + CODE_LIFETIME_MS);
      await db.transaction(async (tx) => {
        await lockUser(tx, userId);
        await tx.delete(signInCodes).where(eq(signInCodes.userId, userId));
        await tx.insert(signInCodes).values({ hash: hashSecret(code), userId, expiresAt });
      });
      return { code, expiresAt };
    },
    /** Begins a session by a code. @returns undefined if the code is unknown, used or expired. */
    signIn: (code: string, userAgent: string): Promise<NewSession | undefined> =>
      db.transaction(async (tx) => {
        const isThat = eq(signInCodes.hash, hashSecret(code));
        const [found] = await tx.select({ userId: signInCodes.userId }).from(signInCodes).where(isThat);
        if (!found) return undefined;
        await lockUser(tx, found.userId);
        const [used] = await tx.delete(signInCodes).where(isThat).returning();
        if (!used || used.expiresAt.getTime() <= clock.now()) return undefined;
        return begin(tx, used.userId, { origin: 'link', userAgent });
      }),
    /** Begins a session of a user. Above `MAX_SESSIONS` the one that was used longest ago ends. */
    begin: (userId: number, request: NewSessionRequest): Promise<NewSession> =>
      db.transaction((tx) => begin(tx, userId, request)),
    /**
     * Returns the user of a token.
     * @returns undefined if the session has ended, belongs to another client, or its user may not use the service.
     */
    async find(token: string, userAgent: string): Promise<SessionIdentity | undefined> {
      const [row] = await db
        .select({ session: sessions, telegramId: users.telegramId })
        .from(sessions)
        .innerJoin(users, eq(users.id, sessions.userId))
        .where(and(eq(sessions.hash, hashSecret(token)), gt(sessions.expiresAt, new Date(clock.now()))));
      if (!row || row.telegramId === null || row.session.userAgent !== toKnownAgent(userAgent)) return undefined;
      const { session, telegramId } = row;
      if (!(await deps.isAdmitted(telegramId))) return undefined;
      if (session.lastUsedAt.getTime() < clock.now() - USE_INTERVAL_MS) {
        const lastUsedAt = new Date(clock.now());
        await db.update(sessions).set({ lastUsedAt }).where(eq(sessions.id, session.id));
      }
      const isAdmin = deps.adminIds.includes(telegramId);
      return { sessionId: session.id, userId: session.userId, telegramId, isAdmin };
    },
    /** Lists the sessions of a user that have not ended, the last used one first. */
    async list(userId: number): Promise<readonly Session[]> {
      const isOpen = and(eq(sessions.userId, userId), gt(sessions.expiresAt, new Date(clock.now())));
      const rows = await db.select().from(sessions).where(isOpen).orderBy(desc(sessions.lastUsedAt));
      return rows.map(toSession);
    },
    /** Ends a session of a user. @returns false if there is no such session. */
    async end(userId: number, sessionId: number): Promise<boolean> {
      const isThat = and(eq(sessions.userId, userId), eq(sessions.id, sessionId));
      const ended = await db.delete(sessions).where(isThat).returning({ id: sessions.id });
      return ended.length > 0;
    },
    /** Ends all sessions of a user and their open code, except one. @returns the number of ended sessions. */
    endAll: (userId: number, exceptId = 0): Promise<number> =>
      db.transaction(async (tx) => {
        await lockUser(tx, userId);
        await tx.delete(signInCodes).where(eq(signInCodes.userId, userId));
        const isOther = and(eq(sessions.userId, userId), ne(sessions.id, exceptId));
        const ended = await tx.delete(sessions).where(isOther).returning({ id: sessions.id });
        return ended.length;
      }),
  };
}

async function beginSession(
  tx: Database,
  nowMs: number,
  request: NewSessionRequest & { readonly userId: number },
): Promise<NewSession> {
  const { userId, origin } = request;
  const now = new Date(nowMs);
  await lockUser(tx, userId);
  await tx.delete(sessions).where(and(eq(sessions.userId, userId), lt(sessions.expiresAt, now)));
  const newest = tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(desc(sessions.lastUsedAt), desc(sessions.id))
    .limit(MAX_SESSIONS - 1);
  await tx.delete(sessions).where(and(eq(sessions.userId, userId), notInArray(sessions.id, newest)));
  const token = createSecret(SESSION_PREFIX);
  const times = { createdAt: now, lastUsedAt: now, expiresAt: new Date(nowMs + LIFETIME_MS[origin]) };
  const [row] = await tx
    .insert(sessions)
    .values({ ...request, ...times, hash: hashSecret(token) })
    .returning();
  if (!row) throw new Error('A session was not stored');
  return { session: toSession(row), token };
}

function toKnownAgent(userAgent: string): string {
  return toStorableText(userAgent).slice(0, MAX_USER_AGENT_LENGTH);
}

function toSession(row: typeof sessions.$inferSelect): Session {
  const { id, origin, userAgent, createdAt, lastUsedAt, expiresAt } = row;
  return { id, origin, userAgent, createdAt, lastUsedAt, expiresAt };
}
