import type { Accounts, KeyUses } from '../../core/accounts/index.ts';
import type { Feedback } from '../../core/feedback/index.ts';
import type { ChatGeneration, ImageGeneration } from '../../core/generation/index.ts';
import type { Catalogue } from '../../core/models/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OpenExchanges } from '../open-exchanges.ts';
import type { PictureDeliveries } from './picture-deliveries.ts';

/** What the routes under `/ai` work with. */
export interface GenerationApiDeps {
  readonly accounts: Accounts;
  readonly keyUses?: KeyUses | undefined;
  readonly generation: ChatGeneration;
  readonly images: ImageGeneration;
  readonly catalogue: Catalogue;
  readonly feedback: Pick<Feedback, 'rateReply'>;
  readonly clock: Clock;
  readonly exchanges: OpenExchanges;
  readonly limits: {
    /** Silence after which an OpenAI stream says `: ping`, milliseconds. */
    readonly pingIntervalMs: number;
    /** How long a client may leave a stream or a picture unread, milliseconds. */
    readonly drainTimeoutMs: number;
    /** Pictures on their way to clients, in all. */
    readonly pictureBytes: number;
  };
}

/** What the routes for pictures work with. */
export interface PicturesDeps extends GenerationApiDeps {
  readonly deliveries: PictureDeliveries;
}
