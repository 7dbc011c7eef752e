import { readFileSync } from 'node:fs';
import { toDataFile } from '../../../../lib/layout.ts';
import type { ModelPrice } from '../../contract/provider.ts';
import type { PriceSource } from '../catalogue.ts';

/** Price list of hosts whose models cost nothing: those that the operator runs. */
export const FREE = 'free';

const FREE_PRICE: ModelPrice = { input: 0, output: 0, image: 0, audioMinute: 0, characters: 0 };

interface ListedPrice extends ModelPrice {
  /** Name of the preset. */
  readonly provider: string;
  readonly model: string;
  /** Missing if the model does not read PDF files. */
  readonly pdf?: true;
}

interface ListPrices {
  /** Day on which the list was made, such as `2026-11-23`. */
  readonly date: string;
  readonly models: readonly ListedPrice[];
}

let listPrices: ListPrices | undefined;
let prices: ReadonlyMap<string, ModelPrice> | undefined;
let pdfReaders: ReadonlySet<string> | undefined;

/**
 * Returns the list price of a host's model by its exact name.
 * @param list name of a preset, or `FREE`.
 */
export function findListPrice(list: string | undefined, model: string): ModelPrice | undefined {
  if (list === undefined) return undefined;
  if (list === FREE) return FREE_PRICE;
  prices ??= new Map(
    readListPrices().models.map(({ provider, model: id, pdf: _pdf, ...price }) => [`${provider} ${id}`, price]),
  );
  return prices.get(`${list} ${model}`);
}

/**
 * Returns true if a host's model reads PDF files, undefined if the list does not say so.
 * @param list name of a preset, or `FREE`.
 */
export function findListedPdf(list: string | undefined, model: string): true | undefined {
  if (list === undefined || list === FREE) return undefined;
  pdfReaders ??= new Set(
    readListPrices().models.flatMap(({ provider, model: id, pdf }) => (pdf ? [`${provider} ${id}`] : [])),
  );
  return pdfReaders.has(`${list} ${model}`) || undefined;
}

/** Returns where the prices of a list come from. @param list name of a preset, or `FREE`. */
export function toPriceSource(list: string): PriceSource {
  return list === FREE ? { kind: 'free' } : { kind: 'list', date: readListPrices().date };
}

/** Returns the price list that is shipped with the service, which `npm run prices` makes. */
export function readListPrices(): ListPrices {
  listPrices ??= JSON.parse(
    readFileSync(toDataFile('core/models/catalogue/prices/list-prices.json'), 'utf8'),
  ) as ListPrices;
  return listPrices;
}
