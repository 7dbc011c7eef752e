import type { Accounts, KeyUses } from '../../core/accounts/index.ts';
import type { Storage } from '../../core/storage/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { InFlightRequests } from '../in-flight-requests.ts';

/** Dependencies of the file routes. */
export interface CloudApiDeps {
  readonly accounts: Accounts;
  readonly keyUses?: KeyUses | undefined;
  /** Returns true if uploads need an API key. Default: they don't. */
  readonly isPrivate?: (() => boolean) | undefined;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly uploads: InFlightRequests;
  readonly downloads: InFlightRequests;
  /** Requests for file pages, shared conversations and deletions. */
  readonly pages: InFlightRequests;
  /** Returns the base URL of download links, without a trailing slash. */
  readonly cloudUrl: () => string;
  /** Sends only the file name as `Content-Disposition`, for clients that take the whole value as the name. */
  readonly hasBareFileNames: boolean;
  readonly limits: {
    /** Time in milliseconds for which a client may leave a download unread. */
    readonly drainTimeoutMs: number;
    /** Maximum silence of an upload in milliseconds, and the period over which it must average 1 KiB a second. */
    readonly uploadSilenceMs: number;
    /** Timeout for rendering a shared conversation, which is then shown as plain text. */
    readonly pageTimeoutMs: number;
  };
}
