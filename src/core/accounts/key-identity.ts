import type { apiKeys } from '../../database/schema/index.ts';
import { type KeyPolicy, type KeyScope, toKeyPolicy } from './key-policy.ts';

/** Owner and rules of an API key. */
export interface ApiKeyIdentity {
  readonly userId: number;
  /** Telegram id of the owner; undefined for the universal key. */
  readonly telegramId: number | undefined;
  /** Whether the owner is an admin now. */
  readonly isAdmin: boolean;
  readonly keyId: number;
  readonly scope: KeyScope;
  /** Name of the owner's plan; `universal` for the universal key. */
  readonly plan: string;
  readonly policy: KeyPolicy;
}

/** Thrown for a key that exists but is refused for now, or from now on. */
export class KeyRefusedError extends Error {
  override readonly name = 'KeyRefusedError';
  readonly reason: 'expired' | 'paused';
  constructor(reason: 'expired' | 'paused') {
    super(`The API key is ${reason}`);
    this.reason = reason;
  }
}

type KeyRow = typeof apiKeys.$inferSelect;

/** Columns of a key that authentication reads. */
export interface KnownKey
  extends Pick<
    KeyRow,
    | 'id'
    | 'hash'
    | 'previousHash'
    | 'previousExpiresAt'
    | 'expiresAt'
    | 'pausedAt'
    | 'isUniversal'
    | 'scope'
    | 'note'
    | 'allowedModels'
    | 'requestsPerMinute'
    | 'tokensPerDay'
    | 'atOnce'
  > {}

/**
 * Checks that a key may be used at a moment.
 * @param hash of the secret that was sent.
 * @returns its rules; undefined if the secret was replaced and no longer works.
 * @throws KeyRefusedError
 */
export function checkKey(key: KnownKey, hash: string, nowMs: number): KeyPolicy | undefined {
  if (key.hash !== hash && !isBefore(nowMs, key.previousExpiresAt)) return undefined;
  if (key.expiresAt && !isBefore(nowMs, key.expiresAt)) throw new KeyRefusedError('expired');
  if (key.pausedAt) throw new KeyRefusedError('paused');
  return toKeyPolicy(key);
}

function isBefore(nowMs: number, end: Date | null): boolean {
  return end !== null && nowMs < end.getTime();
}
