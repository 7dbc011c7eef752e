import { z } from 'zod';
import { MAX_DOLLARS } from '../../../../lib/dollars.ts';
import { renameKeys } from '../../../../lib/json/rename-keys.ts';
import type { ModelPrice } from '../../contract/provider.ts';

const amount = z
  .number('must be a number')
  .nonnegative('must not be negative')
  .max(MAX_DOLLARS, `must be at most ${MAX_DOLLARS}`)
  .optional();

/** Keys of prices before version 0.3, read until version 0.4. */
const FORMER_KEYS = { picture: 'image' };

/** Prices in the providers file; the fields are those of `ModelPrice`. */
export const priceSchema = z.preprocess(
  (given) => renameKeys(given, FORMER_KEYS),
  z
    .strictObject({
      input: amount,
      output: amount,
      cached_input: amount,
      cache_write: amount,
      reasoning: amount,
      audio_input: amount,
      audio_output: amount,
      image: amount,
      audio_minute: amount,
      characters: amount,
      request: amount,
    })
    .refine(({ input, output, image, audio_minute, characters, request }) => {
      if (input !== undefined || output !== undefined) return input !== undefined && output !== undefined;
      return (image ?? audio_minute ?? characters ?? request) !== undefined;
    }, 'must have input and output, or one of image, audio_minute, characters and request')
    .transform((given): ModelPrice => {
      const price = {
        input: given.input,
        output: given.output,
        cachedInput: given.cached_input,
        cacheWrite: given.cache_write,
        reasoning: given.reasoning,
        audioInput: given.audio_input,
        audioOutput: given.audio_output,
        image: given.image,
        audioMinute: given.audio_minute,
        characters: given.characters,
        request: given.request,
      };
      return Object.fromEntries(Object.entries(price).filter(([, dollars]) => dollars !== undefined));
    }),
);
