import type { Database } from '../../database/connect.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ApiKeyIdentity } from '../accounts/index.ts';
import { type AdminAction, recordAction } from '../administration/index.ts';
import type { SessionIdentity } from '../sessions/index.ts';

/** An admin who uses the management API. */
export interface Manager {
  readonly userId: number;
  readonly telegramId: number;
  /** API key by which the admin acts; undefined in the console. */
  readonly keyId: number | undefined;
}

/** Options of every change of a resource by an admin. */
export interface ChangeRequest<State> {
  readonly manager: Manager;
  /** Called with the resource before it is changed, while it is locked. What it throws prevents the change. */
  readonly check: (current: State) => void;
}

interface Steps<State, Result> {
  /** Locks the resource and reads it; undefined if it does not exist. */
  readonly read: (tx: Database) => Promise<State | undefined>;
  /** @returns undefined if nothing was changed, or the change has its own audit entry. */
  readonly change: (tx: Database, current: State) => Promise<Audited<Result>>;
}

/** Result of a change, and its entry in the audit log if it needs one. */
export interface Audited<Result> {
  readonly result: Result;
  readonly entry?: Pick<AdminAction, 'action' | 'subject' | 'reason'> | undefined;
}

/**
 * Changes a resource and adds the change to the audit log, in one transaction.
 * @returns undefined if the resource does not exist.
 */
export function changeAudited<State, Result>(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  { manager, check }: ChangeRequest<State>,
  { read, change }: Steps<State, Result>,
): Promise<Result | undefined> {
  return db.transaction(async (tx) => {
    const current = await read(tx);
    if (current === undefined) return undefined;
    check(current);
    const { result, entry } = await change(tx, current);
    const createdAt = new Date(clock.now());
    const { telegramId: adminTelegramId, keyId } = manager;
    if (entry) await recordAction(tx, { ...entry, adminTelegramId, keyId, createdAt });
    return result;
  });
}

/**
 * Returns the admin whose key or session this is; undefined unless the owner is an admin now, and the key has the scope
 * `manage`.
 */
export function toManager(identity: ApiKeyIdentity | SessionIdentity): Manager | undefined {
  const { userId, telegramId, isAdmin } = identity;
  if (!isAdmin || telegramId === undefined) return undefined;
  if ('sessionId' in identity) return { userId, telegramId, keyId: undefined };
  return identity.scope === 'manage' ? { userId, telegramId, keyId: identity.keyId } : undefined;
}
