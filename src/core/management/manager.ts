import type { ApiKeyIdentity, ApiKeys } from '../accounts/index.ts';

/** An admin who uses the management API. */
export interface Manager {
  readonly userId: number;
  readonly telegramId: number;
  readonly keyId: number;
  /** Name that the admin gave the key. */
  readonly keyName: string;
}

/** Returns the admin whose key this is; undefined unless it has the scope `manage` and its owner is an admin now. */
export async function findManager(
  apiKeys: Pick<ApiKeys, 'find'>,
  { userId, keyId, telegramId, scope, isAdmin }: ApiKeyIdentity,
): Promise<Manager | undefined> {
  if (scope !== 'manage' || !isAdmin || telegramId === undefined) return undefined;
  const key = await apiKeys.find(userId, keyId);
  return key && { userId, telegramId, keyId, keyName: key.label };
}
