import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector } from 'undici';
import type { Clock } from './clock.ts';
import { type HttpExchange, HttpSizeError, HttpTimeoutError, openHttp } from './http-client.ts';

/** Thrown for an address that users and models may not send the service to: protocol, port, credentials or host are not allowed. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
  constructor() {
    super('the address is not on the public internet');
  }
}

/** The other side could not be reached, or answered something else than the file. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
}

export interface PublicFetchDeps {
  readonly clock: Clock;
  /** All addresses of a host name. Default: as the operating system knows them. */
  readonly resolve?: ((hostname: string) => Promise<readonly string[]>) | undefined;
  /** Opens a connection to an address that has been checked; `hostname` is an IP address. Default: a socket. */
  readonly connect?: buildConnector.connector | undefined;
  /** IP addresses of this machine. Default: those of its network interfaces. */
  readonly listOwnAddresses?: (() => readonly string[]) | undefined;
}

export interface PublicFetchOptions {
  readonly maxBytes: number;
  /** For everything together: names, connections, redirects, the file. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What kinds of content are asked for, as in the header of that name. Default: pictures, else anything. */
  readonly accept?: string | undefined;
  /** Origin that the operator has configured: any port of it, and a public address of this machine behind it, are allowed. */
  readonly trustedOrigin?: string | undefined;
}

const CONNECT_TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Ports of web servers. Other ports belong to databases, mail servers and admin interfaces. */
const WEB_PORTS: ReadonlySet<string> = new Set(['80', '443', '8080', '8443']);

/**
 * Downloads a file from an address that a user, a model or a provider has named. Connects only to public IP addresses of other
 * machines, on ports of web servers. The IP address is checked where the connection is opened, so that no spelling, DNS answer or
 * redirect gets around the check. Proxies of the environment are not used.
 * @throws ForbiddenAddressError, DownloadError, HttpSizeError, HttpTimeoutError; the signal's reason.
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
      const http = await open({ clock: deps.clock, dispatcher }, { address, accept, totalMs: leftMs, signal });
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
  deps: { clock: Clock; dispatcher: Agent },
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

/** The default port of the protocol is the empty string. */
function hasWebPort({ port }: URL): boolean {
  return port === '' || WEB_PORTS.has(port);
}

/** @throws DownloadError where the answer leads nowhere, ForbiddenAddressError */
function toNextUrl(
  http: HttpExchange,
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
  const known = [ForbiddenAddressError, DownloadError, HttpSizeError, HttpTimeoutError];
  // Why a host can't be reached is nobody's business but ours: it stays in `cause`.
  return known.some((kind) => error instanceof kind)
    ? error
    : new DownloadError('the address could not be reached', { cause: error });
}

/** Resolves names and connects to the checked IP address, so that there is no second lookup after the check. */
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
    // The certificate must be for the name that was asked for.
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
  // IPv6 is often promised and seldom reachable from inside a container.
  return (await lookup(hostname, { all: true, order: 'ipv4first' })).map(({ address }) => address);
}

function listInterfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
}

function isIpAddress(text: string): boolean {
  return isIP(text) !== 0;
}

/** One spelling for each IP address, without the zone of IPv6. */
function toPlainAddress(text: string): string {
  return ipaddr.parse(text.split('%', 1)[0] ?? '').toString();
}

/** Returns false for addresses that `fetchPublic` refuses without a lookup of the host name. */
export function mayBePublic(url: URL): boolean {
  const hostname = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (!isPlainHttp(url) || !hasWebPort(url)) return false;
  if (isIP(hostname) !== 0) return isPublicAddress(hostname);
  return hostname.includes('.') && !PRIVATE_NAMES.test(hostname);
}

/** Names of networks of one's own (RFC 6761, RFC 6762, RFC 8375, ICANN's `.internal`). */
const PRIVATE_NAMES = /\.(?:localhost|local|internal|lan|test|invalid|home\.arpa)\.?$/;

/** Azure's machines are served by it from within, though it looks public: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16 */
const INTERNAL_ALTHOUGH_PUBLIC = '168.63.129.16';

/** All of IPv6 that is given to hosts (RFC 4291, IANA's registry): others may carry an IPv4 address that leads elsewhere. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** Global unicast alone; nothing that translates to IPv4 (mapped, NAT64, 6to4, Teredo). */
function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text === INTERNAL_ALTHOUGH_PUBLIC) return false;
  const address = ipaddr.parse(text);
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(GLOBAL_IPV6));
}
