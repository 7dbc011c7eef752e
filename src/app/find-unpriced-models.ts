import { hasBudget } from '../core/limits/index.ts';
import type { Catalogue } from '../core/models/index.ts';
import type { SettingKind } from '../core/stored-settings/index.ts';
import type { Settings } from './read-settings.ts';

/** Catalogue in which prices are looked up. */
export type PricedCatalogue = Pick<Catalogue, 'list' | 'findPrices'>;

/**
 * Returns the chat models that a changed budget or plan refuses, as their prices are not known.
 * @param name of the plan.
 */
export function findUnpricedModels(
  { plans, budget }: Pick<Settings, 'plans' | 'budget'>,
  { kind, name }: { readonly kind: SettingKind; readonly name: string },
  catalogue: PricedCatalogue,
): { readonly refused: readonly string[]; readonly isEvery: boolean } {
  const plan = plans[name];
  const allows = kind === 'budget' ? budget?.allowsUnpricedModels : plan?.allowsUnpricedModels;
  const amounts = kind === 'budget' ? [budget] : [plan?.user, plan?.key, plan?.chat, plan?.address];
  const isRefusing = !allows && amounts.some((each) => each !== undefined && hasBudget(each));
  const models = isRefusing ? catalogue.list().filter(({ type }) => type === 'chat') : [];
  const refused = models.map(({ id }) => id).filter((id) => catalogue.findPrices(id) === undefined);
  return { refused, isEvery: refused.length > 0 && refused.length === models.length };
}
