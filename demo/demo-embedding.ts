import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { estimateTokenCount } from 'tokenx';
import { type EmbeddingInput, type EmbeddingModel, ProviderRejectedError } from '../src/core/models/index.ts';

export const DEMO_EMBEDDING_MODEL = 'demo-embedding';

const DEFAULT_DIMENSIONS = 256;
const MAX_DIMENSIONS = 4096;
/** As a real model: 8192 tokens of about four characters. */
const MAX_INPUT_LENGTH = 32_768;
/** Longer words also count by their beginning. */
const STEM_LENGTH = 4;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Creates a model whose vectors are the hashed words of a text and the beginnings of longer words: texts with common
 * words are near to each other, without any understanding of their meaning. The same text always has the same vector.
 */
export function createDemoEmbedding({ provider }: { readonly provider: string }): EmbeddingModel {
  const refuse = (param: string, message: string) =>
    new ProviderRejectedError(provider, 400, { message, param, code: 'invalid_value' });
  return {
    async embed({ model, inputs, dimensions = DEFAULT_DIMENSIONS }, signal) {
      if (dimensions > MAX_DIMENSIONS)
        throw refuse('dimensions', `The demonstration has at most ${MAX_DIMENSIONS} dimensions`);
      if (inputs.some(({ length }) => length > MAX_INPUT_LENGTH))
        throw refuse('input', `An input of the demonstration has at most ${MAX_INPUT_LENGTH} characters`);
      const vectors: (readonly number[])[] = [];
      let promptTokens = 0;
      for (const input of inputs) {
        signal.throwIfAborted();
        vectors.push(toVector(listWords(input), dimensions));
        promptTokens += typeof input === 'string' ? estimateTokenCount(input) : input.length;
        await yieldToEventLoop();
      }
      return { vectors, promptTokens, reportedModel: model, provider, model };
    },
  };
}

function listWords(input: EmbeddingInput): readonly string[] {
  if (typeof input !== 'string') return input.map(String);
  const words = input.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [input];
  // The beginning of a word brings its forms together: `walk` and `walked`.
  return words.flatMap((word) => (word.length > STEM_LENGTH ? [word, word.slice(0, STEM_LENGTH)] : [word]));
}

/** Adds or subtracts 1 at the place of each word, and scales the vector to length 1. */
function toVector(words: readonly string[], dimensions: number): readonly number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of words) {
    const hash = toHash(word);
    const at = hash % dimensions;
    vector[at] = (vector[at] ?? 0) + (hash & 0x80000000 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  // Words can cancel each other out.
  if (length === 0) return vector.map((_, at) => (at === 0 ? 1 : 0));
  return vector.map((value) => value / length);
}

/** FNV-1a, 32 bits. */
function toHash(word: string): number {
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(word)) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return hash >>> 0;
}
