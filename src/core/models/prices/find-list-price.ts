import { readFileSync } from 'node:fs';
import type { ModelPrice } from '../provider.ts';

/** Price list of hosts whose models cost nothing: those that the operator runs. */
export const FREE = 'free';

const FREE_PRICE: ModelPrice = { input: 0, output: 0, image: 0, audioMinute: 0, characters: 0 };

interface ListedPrice extends ModelPrice {
  /** Name of the preset. */
  readonly provider: string;
  readonly model: string;
}

let prices: ReadonlyMap<string, ModelPrice> | undefined;

/**
 * Returns the list price of a host's model by its exact name.
 * @param list name of a preset, or `FREE`.
 */
export function findListPrice(list: string | undefined, model: string): ModelPrice | undefined {
  if (list === undefined) return undefined;
  if (list === FREE) return FREE_PRICE;
  prices ??= new Map(readListPrices().models.map(({ provider, model: id, ...price }) => [`${provider} ${id}`, price]));
  return prices.get(`${list} ${model}`);
}

/** Reads the price list that is shipped with the service, which `npm run prices` makes. */
export function readListPrices(): { readonly date: string; readonly models: readonly ListedPrice[] } {
  return JSON.parse(readFileSync(new URL('./list-prices.json', import.meta.url), 'utf8'));
}
