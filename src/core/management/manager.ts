import type { ApiKeyIdentity } from '../accounts/index.ts';
import type { SessionIdentity } from '../sessions/index.ts';

/** An admin who uses the management API. */
export interface Manager {
  readonly userId: number;
  readonly telegramId: number;
  /** API key by which the admin acts; undefined in the console. */
  readonly keyId: number | undefined;
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
