import type { ModelEntry } from './catalogue.ts';

/** Who owns the models of the demonstration, as lists of models say it. */
export const DEMONSTRATION_OWNER = 'switchboard';

/** Whether a model only shows what the product can do: its answers are prepared. */
export function isDemonstration({ ownedBy }: Pick<ModelEntry, 'ownedBy'>): boolean {
  return ownedBy === DEMONSTRATION_OWNER;
}
