import type { FastifyRequest } from 'fastify';
import type { Accounts, KeyUses } from '../core/accounts/index.ts';
import type { Caller } from '../core/generation/index.ts';
import { toHousehold } from '../lib/network.ts';
import { toClientAddress } from './client-address.ts';
import { invalidApiKey } from './http-error.ts';

export interface AuthenticateDeps {
  readonly accounts: Accounts;
  /** Remembers the use of keys. Default nobody does. */
  readonly keyUses?: KeyUses | undefined;
}

const BEARER = /^bearer +(\S{1,512}) *$/i;

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
  const address = toClientAddress(request);
  deps.keyUses?.note(identity.keyId, request.routeOptions.url ?? '', address);
  return { ...identity, address: toHousehold(address) };
}
