import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { toNetwork } from '../lib/network.ts';

const LINE_EVERY_MS = 60_000;

export interface Refusal {
  readonly kind: 'generation' | 'management' | 'account' | 'upload' | 'download' | 'page' | 'connection';
  /** `share`: the client has reached its share. `full`: all slots are taken. */
  readonly reason: 'full' | 'share';
  /** The client's IP address. */
  readonly address: string;
}

/**
 * Returns a function that logs refusals at most once a minute: the latest one, with the count since the previous line.
 */
export function createRefusalLog(deps: { readonly clock: Clock; readonly logger: Logger }): (refusal: Refusal) => void {
  let quietUntil = 0;
  let refusedCount = 0;
  return ({ kind, reason, address }) => {
    refusedCount++;
    const now = deps.clock.now();
    if (now < quietUntil) return;
    // The log contains no individual addresses.
    const network = toNetwork(address, { ipv4: 24, ipv6: 48 });
    deps.logger.warn({ kind, reason, network, refusedCount }, 'requests refused: too many in flight');
    quietUntil = now + LINE_EVERY_MS;
    refusedCount = 0;
  };
}
