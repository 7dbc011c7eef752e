import type { Accounts, KeyUses } from '../../core/accounts/index.ts';
import type { Feedback } from '../../core/feedback/index.ts';
import type {
  AudioGeneration,
  ChatGeneration,
  EmbeddingGeneration,
  ImageGeneration,
  ModerationGeneration,
  TextCompletionGeneration,
} from '../../core/generation/index.ts';
import type { Idempotency } from '../../core/idempotency/index.ts';
import type { Catalogue } from '../../core/models/index.ts';
import type { StoredResponses } from '../../core/responses/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { HeldBytes } from '../../lib/held-bytes.ts';
import type { InFlightRequests } from '../in-flight-requests.ts';

/** Dependencies of the routes under `/ai`. */
export interface GenerationApiDeps {
  readonly accounts: Accounts;
  readonly keyUses?: KeyUses | undefined;
  readonly generation: ChatGeneration;
  readonly completions: TextCompletionGeneration;
  readonly embeddings: EmbeddingGeneration;
  readonly moderations: ModerationGeneration;
  readonly images: ImageGeneration;
  readonly audio: AudioGeneration;
  readonly catalogue: Catalogue;
  readonly responses: StoredResponses;
  readonly feedback: Pick<Feedback, 'rateReply'>;
  readonly idempotency: Idempotency;
  readonly clock: Clock;
  readonly inFlight: InFlightRequests;
  readonly heldBytes: HeldBytes;
}
