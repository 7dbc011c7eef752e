import type { Config } from './config.ts';
import { isLoopback } from './find-wrong-combinations.ts';

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

/** Returns whether others than this machine reach the service, and may upload without a key. */
export function canStrangersUpload({
  http,
  uploads,
  allowedIds,
}: Pick<Config, 'http' | 'uploads' | 'allowedIds'>): boolean {
  return uploads === 'anyone' && allowedIds.length === 0 && isPublic(http);
}

/** Returns whether an address of the service is meant for other machines. */
export function isPublic({ publicUrl, cloudUrl }: Pick<Config['http'], 'publicUrl' | 'cloudUrl'>): boolean {
  const urls = [publicUrl, cloudUrl].filter((url) => url !== undefined);
  return urls.some((url) => !isLoopback(new URL(url).hostname.replaceAll(/[[\]]/g, '')));
}
