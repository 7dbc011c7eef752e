import { dollarsOf } from '../../../bot/texts/money.ts';
import type { ManagedModel } from '../../api/types.ts';
import type { texts } from './texts.ts';

type Price = NonNullable<ManagedModel['targets'][number]['price']>;

const SHOWN = [
  'input',
  'output',
  'cached_input',
  'image',
  'audio_minute',
  'characters',
  'request',
] as const satisfies readonly (keyof Price)[];

/** Returns the main prices of a model: `$0.15 input · $0.60 output`. */
export function listPrices(
  locale: string,
  price: Price,
  { prices, free }: Pick<(typeof texts)['en'], 'prices' | 'free'>,
) {
  const known = SHOWN.flatMap((name) => {
    const amount = price[name];
    return amount === null ? [] : [{ name, amount }];
  });
  if (known.every(({ amount }) => amount === 0)) return free;
  return known.map(({ name, amount }) => `${dollarsOf(locale, amount)} ${prices[name]}`).join(' · ');
}
