import type { FastifyRequest } from 'fastify';
import type { Accounts, KeyUses } from '../core/accounts/index.ts';
import type { Caller } from '../core/generation/index.ts';
import { toNetwork } from '../lib/network.ts';
import { invalidApiKey } from './http-error.ts';

export interface AuthenticateDeps {
  readonly accounts: Accounts;
  /** Remembers the use of keys. Default nobody does. */
  readonly keyUses?: KeyUses | undefined;
}

const BEARER = /^bearer +(\S{1,512}) *$/i;
/** One household or machine: of an IPv6 address everybody has as many as they like behind the first half. */
const HOUSEHOLD_BITS = { ipv4: 32, ipv6: 64 };

/**
 * Who is calling, by `Authorization: Bearer <key>`.
 * @throws HttpError 401 without a key, and alike for unknown and revoked ones.
 */
export async function authenticate(deps: AuthenticateDeps, request: FastifyRequest): Promise<Caller> {
  const { authorization } = request.headers;
  if (!authorization) {
    throw invalidApiKey('An API key is needed: send the header "Authorization: Bearer <key>".');
  }
  const key = BEARER.exec(authorization)?.[1];
  const identity = key === undefined ? undefined : await deps.accounts.findByApiKey(key);
  if (!identity) throw invalidApiKey('This API key is not valid.');
  deps.keyUses?.note(identity.keyId, request.routeOptions.url ?? '', request.ip);
  return { ...identity, address: toNetwork(request.ip, HOUSEHOLD_BITS) };
}
