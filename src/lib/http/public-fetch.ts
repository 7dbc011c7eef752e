import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector } from 'undici';
import type { Clock } from '../clock.ts';
import { HeldBytesFullError } from './held-bytes.ts';
import { type HttpDeps, type HttpResponse, HttpSizeError, HttpTimeoutError, openHttp } from './http-client.ts';

/**
 * Thrown for a URL that users and models may not make the service fetch: protocol, port, credentials or host are not
 * allowed.
 */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
  constructor() {
    super('the address is not on the public internet');
  }
}

/** Thrown when the server can't be reached or does not respond with the file. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
}

export interface PublicFetchDeps extends Pick<HttpDeps, 'heldBytes'> {
  readonly clock: Clock;
  /** Returns all IP addresses of a host name. Default: the system's resolver. */
  readonly resolve?: ((hostname: string) => Promise<readonly string[]>) | undefined;
  /** Connects to a checked address; `hostname` is an IP address. Default: a socket. */
  readonly connect?: buildConnector.connector | undefined;
  /** Returns the IP addresses of this machine. Default: those of its network interfaces. */
  readonly listOwnAddresses?: (() => readonly string[]) | undefined;
}

export interface PublicFetchOptions {
  readonly maxBytes: number;
  /** Timeout for the whole download, including DNS, connections and redirects. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** `Accept` header. Default: preferably images. */
  readonly accept?: string | undefined;
  /** Origin configured by the operator. Any port and public addresses of this machine are allowed for it. */
  readonly trustedOrigin?: string | undefined;
}

/** Downloads a file as `fetchPublic` does. */
export type Download = (url: string, options: PublicFetchOptions) => Promise<Buffer>;

const CONNECT_TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Ports of web servers. Other ports belong to databases, mail servers and admin interfaces. */
const WEB_PORTS: ReadonlySet<string> = new Set(['80', '443', '8080', '8443']);

/**
 * Downloads a file from a URL given by a user, a model or a provider. Connects only to public IP addresses of other
 * machines, on ports of web servers. The IP address is checked when the connection is opened, so that no spelling, DNS
 * answer or redirect bypasses the check. Proxies of the environment are not used.
 * @throws ForbiddenAddressError, DownloadError, HttpSizeError, HttpTimeoutError, HeldBytesFullError; the signal's reason.
 */
export async function fetchPublic(
  deps: PublicFetchDeps,
  url: string,
  { maxBytes, timeoutMs, signal, accept = 'image/*,*/*;q=0.5', trustedOrigin }: PublicFetchOptions,
): Promise<Buffer> {
  const dispatcher = new Agent({
    connect: createPublicConnector(deps, trustedOrigin, signal),
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const deadline = deps.clock.now() + timeoutMs;
  try {
    let address = toAllowedUrl(url, { trustedOrigin });
    for (let redirects = 0; ; redirects += 1) {
      const leftMs = Math.max(1, deadline - deps.clock.now());
      const http = await open({ ...deps, dispatcher }, { address, accept, totalMs: leftMs, signal });
      try {
        if (http.status >= 200 && http.status < 300) return await http.readAll(maxBytes);
        address = toNextUrl(http, { address, trustedOrigin }, redirects);
      } finally {
        http.close();
      }
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw toDownloadError(error);
  } finally {
    await dispatcher.destroy();
  }
}

function open(
  deps: HttpDeps,
  { address, accept, totalMs, signal }: { address: URL; accept: string; totalMs: number; signal: AbortSignal },
) {
  return openHttp(deps, {
    method: 'GET',
    url: address.href,
    headers: { 'user-agent': 'switchboard', accept, 'accept-encoding': 'identity' },
    timeouts: { connectMs: CONNECT_TIMEOUT_MS, startMs: totalMs, idleMs: totalMs, totalMs },
    signal,
  });
}

/** @throws ForbiddenAddressError */
function toAllowedUrl(
  text: string,
  { address, trustedOrigin }: { readonly address?: URL; readonly trustedOrigin: string | undefined },
): URL {
  const url = URL.parse(text, address?.href);
  if (!url || !isPlainHttp(url)) throw new ForbiddenAddressError();
  if (!hasWebPort(url) && url.origin !== trustedOrigin) throw new ForbiddenAddressError();
  return url;
}

function isPlainHttp({ protocol, username, password }: URL): boolean {
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** Returns true for ports of web servers. The protocol's default port is the empty string. */
function hasWebPort({ port }: URL): boolean {
  return port === '' || WEB_PORTS.has(port);
}

/** Returns the target of a redirect. @throws DownloadError if the response is no redirect; ForbiddenAddressError */
function toNextUrl(
  http: HttpResponse,
  from: { readonly address: URL; readonly trustedOrigin: string | undefined },
  redirects: number,
): URL {
  const { location } = http.headers;
  if (!REDIRECTS.has(http.status) || location === undefined)
    throw new DownloadError(`the download was answered with status ${http.status}`);
  if (redirects >= MAX_REDIRECTS) throw new DownloadError('the download was redirected too often');
  return toAllowedUrl(location, from);
}

function toDownloadError(error: unknown): unknown {
  const publicErrors = [ForbiddenAddressError, DownloadError, HttpSizeError, HttpTimeoutError, HeldBytesFullError];
  // The reason is internal and only available as `cause`.
  return publicErrors.some((kind) => error instanceof kind)
    ? error
    : new DownloadError('the address could not be reached', { cause: error });
}

/**
 * Creates a connector that resolves names and connects to the checked IP address, without a second lookup after the
 * check.
 */
function createPublicConnector(
  { resolve = resolveHost, connect, listOwnAddresses = listInterfaceAddresses }: PublicFetchDeps,
  trustedOrigin: string | undefined,
  signal: AbortSignal,
): buildConnector.connector {
  const connectTo = connect ?? buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false });
  const connectToFirst = async (options: buildConnector.Options) => {
    const { protocol, host = options.hostname } = options;
    const isTrusted = URL.parse(`${protocol}//${host}`)?.origin === trustedOrigin;
    const own = new Set(isTrusted ? [] : listOwnAddresses().filter(isIpAddress).map(toPlainAddress));
    const hostname = options.hostname.replace(/^\[|\]$/g, '');
    const isName = isIP(hostname) === 0;
    const addresses = (isName ? await resolve(hostname) : [hostname]).filter(
      (address) => isPublicAddress(address) && !own.has(toPlainAddress(address)),
    );
    // The certificate must match the requested host name.
    const servername = options.protocol === 'https:' && isName ? hostname : undefined;
    let failure: unknown = new ForbiddenAddressError();
    for (const address of addresses) {
      signal.throwIfAborted();
      try {
        return await promiseSocket(connectTo, { ...options, ...(servername && { servername }), hostname: address });
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
  return (options, callback) => {
    connectToFirst(options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

type ConnectedSocket = NonNullable<Parameters<buildConnector.Callback>[1]>;

function promiseSocket(connect: buildConnector.connector, options: buildConnector.Options): Promise<ConnectedSocket> {
  return new Promise((resolve, reject) => {
    connect(options, (error, socket) => (socket ? resolve(socket) : reject(error)));
  });
}

async function resolveHost(hostname: string): Promise<readonly string[]> {
  // IPv6 addresses are often announced but rarely reachable from within containers.
  return (await lookup(hostname, { all: true, order: 'ipv4first' })).map(({ address }) => address);
}

function listInterfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
}

function isIpAddress(text: string): boolean {
  return isIP(text) !== 0;
}

/** Normalizes an IP address, without an IPv6 zone. */
function toPlainAddress(text: string): string {
  return ipaddr.parse(text.split('%', 1)[0] ?? '').toString();
}

/** Returns false for URLs that `fetchPublic` refuses without a DNS lookup. */
export function mayBePublic(url: URL): boolean {
  const hostname = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (!isPlainHttp(url) || !hasWebPort(url)) return false;
  if (isIP(hostname) !== 0) return isPublicAddress(hostname);
  return hostname.includes('.') && !PRIVATE_NAMES.test(hostname);
}

/** Host names of private networks (RFC 6761, RFC 6762, RFC 8375, ICANN's `.internal`). */
const PRIVATE_NAMES = /\.(?:localhost|local|internal|lan|test|invalid|home\.arpa)\.?$/;

/**
 * Internal address of Azure's platform although it is in a public range:
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const INTERNAL_ALTHOUGH_PUBLIC = '168.63.129.16';

/**
 * The only allocated global unicast range of IPv6 (RFC 4291, IANA's registry); other ranges may embed an IPv4 address.
 */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** Returns true for global unicast addresses, except those that translate to IPv4 (mapped, NAT64, 6to4, Teredo). */
function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text === INTERNAL_ALTHOUGH_PUBLIC) return false;
  const address = ipaddr.parse(text);
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(GLOBAL_IPV6));
}
