import type { Accounts } from '../../core/accounts/index.ts';
import type { ChatGeneration } from '../../core/generation/index.ts';
import type { Catalogue } from '../../core/models/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OpenExchanges } from '../open-exchanges.ts';

/** What the routes under `/ai` work with. */
export interface GenerationApiDeps {
  readonly accounts: Accounts;
  readonly generation: ChatGeneration;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly exchanges: OpenExchanges;
  readonly limits: {
    /** Silence after which an OpenAI stream says `: ping`, milliseconds. */
    readonly pingIntervalMs: number;
    /** How long a client may leave a stream unread, milliseconds. */
    readonly drainTimeoutMs: number;
  };
}
