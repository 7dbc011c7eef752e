import type { ModelEntry } from './catalogue.ts';

/** Owner of the demonstration models in lists of models. */
export const DEMONSTRATION_OWNER = 'switchboard';

/** Returns whether a model is a demonstration with prepared answers. */
export function isDemonstration({ ownedBy }: Pick<ModelEntry, 'ownedBy'>): boolean {
  return ownedBy === DEMONSTRATION_OWNER;
}
