import type { IncomingHttpHeaders } from 'node:http';
import type { ApiKeyIdentity } from '../../core/accounts/index.ts';
import type { Requester } from '../../core/generation/index.ts';
import { toNetworkKey } from '../../lib/http/network.ts';
import { invalidApiKey } from '../../protocols/http-error.ts';
import type { HttpServices } from '../services.ts';

/** A request that may carry an API key. */
export interface Credentials {
  /** `authorization: Bearer <key>`, or `x-api-key: <key>` as Anthropic's clients send it. */
  readonly headers: IncomingHttpHeaders;
  /** Route of the request, recorded with the last use of the key. */
  readonly route: string;
  /** The client's IP address. */
  readonly address: string;
}

/** Returns true if a request sends a key, valid or not. */
export function hasApiKey({ authorization, 'x-api-key': apiKey }: IncomingHttpHeaders): boolean {
  return Boolean(authorization) || Boolean(apiKey);
}

const BEARER = /^bearer +(\S{1,512}) *$/i;
const BARE_KEY = /^(\S{1,512})$/;

function readApiKey({ authorization, 'x-api-key': apiKey }: IncomingHttpHeaders): string | undefined {
  return (authorization ? BEARER.exec(authorization) : BARE_KEY.exec(String(apiKey)))?.[1];
}

/**
 * Authenticates a request by `Authorization: Bearer <key>` or `x-api-key: <key>`; the former wins if both are sent.
 * @throws HttpError 401 for a missing key, with the same error for unknown and revoked ones; KeyRefusedError for expired
 * and paused ones.
 */
export async function authenticate(services: HttpServices, credentials: Credentials): Promise<Requester> {
  return toRequester(await findKey(services, credentials), toNetworkKey(credentials.address));
}

/** @param address the client's address or network, by which limits count it. */
export function toRequester({ userId, keyId, plan, policy }: ApiKeyIdentity, address: string) {
  const { allowedModels, requestsPerMinute, tokensPerDay, atOnce } = policy;
  const keyLimits = { requestsPerMinute, tokensPerDay, atOnce };
  return { userId, keyId, plan, keyLimits, allowedModels, address } satisfies Requester;
}

/** Returns the key of a request and its owner. Throws like `authenticate`. */
export async function findKey(
  services: HttpServices,
  { headers, route, address }: Credentials,
): Promise<ApiKeyIdentity> {
  if (!hasApiKey(headers)) {
    throw invalidApiKey('An API key is required: send the header "Authorization: Bearer <key>" or "x-api-key: <key>".');
  }
  const key = readApiKey(headers);
  const identity = key === undefined ? undefined : await services.accounts.findByApiKey(key);
  if (!identity) throw invalidApiKey('This API key is not valid.');
  services.keyUses?.record(identity.keyId, route, address);
  return identity;
}
