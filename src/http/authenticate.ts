import type { Accounts, KeyUses } from '../core/accounts/index.ts';
import type { Caller } from '../core/generation/index.ts';
import { toHousehold } from '../lib/network.ts';
import { invalidApiKey } from './http-error.ts';

export interface AuthenticateDeps {
  readonly accounts: Accounts;
  /** Remembers the use of keys. Default nobody does. */
  readonly keyUses?: KeyUses | undefined;
}

/** What a request says of its sender. */
export interface Credentials {
  /** The header of this name. */
  readonly authorization: string | undefined;
  /** What is asked for, for whoever looks at the uses of keys. */
  readonly route: string;
  /** The IP address. */
  readonly address: string;
}

const BEARER = /^bearer +(\S{1,512}) *$/i;

/**
 * Who is calling, by `Authorization: Bearer <key>`.
 * @throws HttpError 401 without a key, and alike for unknown and revoked ones.
 */
export async function authenticate(
  deps: AuthenticateDeps,
  { authorization, route, address }: Credentials,
): Promise<Caller> {
  if (!authorization) {
    throw invalidApiKey('An API key is needed: send the header "Authorization: Bearer <key>".');
  }
  const key = BEARER.exec(authorization)?.[1];
  const identity = key === undefined ? undefined : await deps.accounts.findByApiKey(key);
  if (!identity) throw invalidApiKey('This API key is not valid.');
  deps.keyUses?.note(identity.keyId, route, address);
  const { personId, keyId, plan } = identity;
  return { personId, keyId, plan, address: toHousehold(address) };
}
