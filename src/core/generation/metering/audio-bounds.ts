import { findAudioSeconds } from '../../../lib/formats/audio-duration/find-audio-seconds.ts';
import { countCharacters } from '../../../lib/text.ts';
import type { ExpectedCost } from '../../limits/index.ts';
import type { ModelPrice } from '../../models/index.ts';
import { findDearest, toFixedCost } from './cost-bounds.ts';

const MILLION = 1_000_000;
/** A day. Silence takes so few bytes that a recording of unknown duration may be as long as hosts accept. */
const MOST_SECONDS = 86_400;
/** Slowest speech: a character lasts at most this long, at the lowest speed of 0.25 too. */
const MOST_SECONDS_PER_CHARACTER = 0.4;
/** Tokens that models count for a second of sound; the largest known number is 32. */
const TOKENS_PER_SECOND = 50;
/** Tokens of instructions and of the protocol. */
const EXTRA_TOKENS = 2048;

/** Returns the most that reading a text aloud can cost; undefined if a price is not known. */
export function boundSpeechCost(text: string, prices: readonly ModelPrice[] | undefined): ExpectedCost | undefined {
  const characters = countCharacters(text);
  const seconds = characters * MOST_SECONDS_PER_CHARACTER;
  return toFixedCost(
    findDearest(prices, (price) => {
      const perSecond = toSecondRate(price, price.audioOutput ?? price.output);
      const byCharacters = price.characters === undefined ? undefined : (price.characters * characters) / MILLION;
      return byCharacters ?? (perSecond === undefined ? undefined : perSecond * seconds + toTextCost(price, text));
    }),
  );
}

/** Returns the most that writing down a recording can cost; undefined if a price is not known. */
export function boundTranscriptCost(
  bytes: Buffer,
  prices: readonly ModelPrice[] | undefined,
): ExpectedCost | undefined {
  const seconds = findAudioSeconds(bytes) ?? MOST_SECONDS;
  return toFixedCost(
    findDearest(prices, (price) => {
      const perSecond = toSecondRate(price, Math.max(price.audioInput ?? price.input ?? 0, price.output ?? 0));
      return perSecond === undefined ? undefined : perSecond * seconds;
    }),
  );
}

/** Returns the dearer of the prices by time and by tokens for a second of sound. */
function toSecondRate(price: ModelPrice, tokenRate: number | undefined): number | undefined {
  const rates = [
    ...(price.audioMinute === undefined ? [] : [price.audioMinute / 60]),
    ...(tokenRate === undefined || price.input === undefined ? [] : [(tokenRate * TOKENS_PER_SECOND) / MILLION]),
  ];
  return rates.length === 0 ? undefined : Math.max(...rates);
}

function toTextCost({ input = 0 }: ModelPrice, text: string): number {
  return (input * (Buffer.byteLength(text) + EXTRA_TOKENS)) / MILLION;
}
