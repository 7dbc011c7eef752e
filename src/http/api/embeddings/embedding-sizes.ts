import type { EmbeddingRequest } from '../../../core/models/index.ts';
import { createCache } from '../../../lib/async/cache.ts';
import type { Clock } from '../../../lib/clock.ts';

/** Sizes of a vector of 3072 numbers, for models without an answer so far. */
const UNKNOWN_BYTES = { float: 40 * 1024, base64: 16 * 1024 };
const MAX_KNOWN = 1000;
const KNOWN_MS = 86_400_000;

/** Creates estimates from the last answer of the same model with the same options. */
export function createEmbeddingSizes(clock: Clock) {
  const bytesPerInput = createCache<string, number>(clock, { max: MAX_KNOWN, ttlMs: KNOWN_MS });
  const toKey = ({ model, encoding, dimensions }: EmbeddingRequest) => `${encoding} ${dimensions ?? ''} ${model}`;
  return {
    /** Returns the expected size of an answer in bytes. */
    estimate(request: EmbeddingRequest): number {
      const each = bytesPerInput.get(toKey(request)) ?? UNKNOWN_BYTES[request.encoding];
      return Math.ceil(each * request.inputs.length);
    },
    /** Records the size of an answer, for later estimates. */
    record(request: EmbeddingRequest, sizeBytes: number): void {
      bytesPerInput.set(toKey(request), sizeBytes / request.inputs.length);
    },
  };
}
