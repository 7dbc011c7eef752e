import type { Accounts } from '../core/accounts/index.ts';
import type { Caller } from '../core/generation/index.ts';
import { invalidApiKey } from './http-error.ts';

const BEARER = /^bearer +(\S{1,512}) *$/i;

/**
 * Who is calling, by `Authorization: Bearer <key>`.
 * @throws HttpError 401 without a key, and alike for unknown and revoked ones.
 */
export async function authenticate(accounts: Accounts, authorization: string | undefined): Promise<Caller> {
  if (!authorization) {
    throw invalidApiKey('An API key is needed: send the header "Authorization: Bearer <key>".');
  }
  const key = BEARER.exec(authorization)?.[1];
  const identity = key === undefined ? undefined : await accounts.findByApiKey(key);
  if (!identity) throw invalidApiKey('This API key is not valid.');
  return identity;
}
