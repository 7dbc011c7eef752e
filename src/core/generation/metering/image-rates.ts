import { Dollars, toNineDecimals } from '../../../lib/dollars.ts';
import type { ForwardedFields, ImageRate, ImageSize } from '../../models/index.ts';

type Rates = readonly ImageRate[];

/** Quality that a host chooses if the request names none, where it has this one. */
const USUAL_QUALITY = 'standard';

/**
 * Returns the quality that a client requests, in lower case; undefined if the host chooses it, and `null` if the value is
 * none that could have a price.
 */
export function readQuality({ extraFields }: Pick<ForwardedFields, 'extraFields'>): string | undefined | null {
  const quality = extraFields?.['quality'] ?? 'auto';
  if (typeof quality !== 'string') return null;
  return quality.toLowerCase() === 'auto' ? undefined : quality.toLowerCase();
}

/**
 * Returns the dearest rate that a request can reach: hosts choose the size, and the quality if the request does not;
 * undefined if the requested quality has no price.
 */
export function findDearestRate(rates: Rates, quality: string | undefined | null): number | undefined {
  const reachable = quality === undefined ? rates : rates.filter((rate) => isOf(rate, quality));
  return reachable.length === 0 ? undefined : Math.max(...reachable.map(({ usd }) => usd));
}

/**
 * Returns the price of images by their true sizes. The dearest rate counts for what is not known.
 * @param quality that the client has requested.
 * @param reported that the host has used.
 */
export function toRatedCost(
  rates: Rates,
  images: readonly ImageSize[],
  { quality, reported }: { readonly quality: string | undefined | null; readonly reported: string | undefined },
): number | undefined {
  const requested = quality === undefined ? USUAL_QUALITY : (quality ?? undefined);
  const known = [reported?.toLowerCase(), requested].find(
    (name) => name !== undefined && rates.some((rate) => isOf(rate, name)),
  );
  if (known === undefined && quality !== undefined) return undefined;
  const ofQuality = known === undefined ? rates : rates.filter((rate) => isOf(rate, known));
  let sum = new Dollars(0);
  for (const { width, height } of images) {
    const ofSize = ofQuality.filter(({ size }) => size === `${width}x${height}`);
    const others = ofQuality.filter(({ size }) => size === undefined);
    const [matching = ofQuality] = [ofSize, others].filter((some) => some.length > 0);
    sum = sum.add(Math.max(...matching.map(({ usd }) => usd)));
  }
  return toNineDecimals(sum);
}

function isOf(rate: ImageRate, quality: string | null): boolean {
  return rate.quality === undefined || rate.quality === quality;
}
