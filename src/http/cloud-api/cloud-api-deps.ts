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
}
