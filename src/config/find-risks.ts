import type { Config } from './config.ts';

/** Returns warnings about valid settings that are probably a mistake, one sentence each with its remedy. */
export function findRisks({ http }: Config): readonly string[] {
  // The service itself does not support TLS.
  const isBehindProxy = http.publicUrl?.startsWith('https:') === true;
  return isBehindProxy && http.trustedProxies.length === 0
    ? [
        'PUBLIC_URL begins with https:// and TRUSTED_PROXIES is not set: all clients behind the reverse proxy count as one address and share its limits. Set TRUSTED_PROXIES to the address of the proxy, to loopback (it runs on this machine) or to private (it runs in the same private network, as in Docker)',
      ]
    : [];
}
