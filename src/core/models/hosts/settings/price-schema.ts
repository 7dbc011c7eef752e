import { z } from 'zod';
import { MAX_DOLLARS } from '../../../../lib/dollars.ts';
import { renameKeys } from '../../../../lib/json/rename-keys.ts';
import type { ImageRate, ModelPrice } from '../../contract/provider.ts';

const amount = z
  .number('must be a number')
  .nonnegative('must not be negative')
  .max(MAX_DOLLARS, `must be at most ${MAX_DOLLARS}`)
  .optional();

/** Price of an image: one amount, or amounts by quality, and by size where a quality has several. */
const dollars = amount.unwrap();
const quality = z.string().regex(/^[a-z][a-z\d_-]{0,29}$/, 'must be a quality in lower case, such as high');
const size = z.string().regex(/^\d{2,5}x\d{2,5}$/, 'must be a size such as 1024x1792');
const bySize = z.record(size, dollars).refine(hasEntries, 'must not be empty');
const byQuality = z.record(quality, either(dollars, bySize)).refine(hasEntries, 'must not be empty');
const imageAmount = either(dollars, byQuality).optional();

/**
 * Accepts a number or a mapping, and reports what is wrong with the one that was given. `isNumber` tells forms that a
 * number is the usual one.
 */
function either<Mapping extends z.ZodType>(number: typeof dollars, mapping: Mapping) {
  const schema = z.unknown().transform((given, ctx): number | z.output<Mapping> => {
    const parsed = (typeof given === 'object' && given !== null ? mapping : number).safeParse(given);
    if (parsed.success) return parsed.data;
    for (const { message, path } of parsed.error.issues) ctx.addIssue({ code: 'custom', message, path: [...path] });
    return z.NEVER;
  });
  return schema.meta({ isNumber: true });
}

function hasEntries(given: object): boolean {
  return Object.keys(given).length > 0;
}

/** Returns the fields of `ModelPrice` for an image. */
function toImagePrice(given: z.output<typeof imageAmount>): Pick<ModelPrice, 'image' | 'imageRates'> {
  if (typeof given !== 'object') return { image: given };
  const imageRates = Object.entries(given).flatMap(([name, usd]): ImageRate[] =>
    typeof usd === 'number'
      ? [{ quality: name, usd }]
      : Object.entries(usd).map(([pixels, each]) => ({ quality: name, size: pixels, usd: each })),
  );
  return { image: Math.max(...imageRates.map(({ usd }) => usd)), imageRates };
}

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
      image: imageAmount,
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
        ...toImagePrice(given.image),
        audioMinute: given.audio_minute,
        characters: given.characters,
        request: given.request,
      };
      return Object.fromEntries(Object.entries(price).filter(([, value]) => value !== undefined));
    }),
);
