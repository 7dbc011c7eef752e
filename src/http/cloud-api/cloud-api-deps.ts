import type { Accounts, KeyUses } from '../../core/accounts/index.ts';
import type { Storage } from '../../core/storage/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OpenExchanges } from '../open-exchanges.ts';

/** What the routes of files work with. */
export interface CloudApiDeps {
  readonly accounts: Accounts;
  readonly keyUses?: KeyUses | undefined;
  /** Whether uploads need an API key, as everything else does. Default they do not. */
  readonly isPrivate?: (() => boolean) | undefined;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly uploads: OpenExchanges;
  readonly downloads: OpenExchanges;
  /** Pages about files, shared conversations, and deletions. */
  readonly pages: OpenExchanges;
  /** What download links begin with, without a slash behind it. */
  readonly cloudUrl: () => string;
  /** `Content-Disposition` is the name of the file and nothing else, for clients that take its whole value as the name. */
  readonly hasBareFileNames: boolean;
  readonly limits: {
    /** How long a client may leave its download unread, milliseconds. */
    readonly drainTimeoutMs: number;
    /** How long an upload may be silent, milliseconds; and in each such time 1 KiB a second must come. */
    readonly uploadSilenceMs: number;
    /** Time to render the page of a shared conversation; then it is shown as plain text. */
    readonly pageTimeoutMs: number;
  };
}
