import type { Catalogue } from '../core/models/index.ts';

const MAX_NAMES = 5;

/** Returns one line for each provider with models whose price is unknown: `groq: 2 models (a, b)`. */
export function findUnpricedModels(catalogue: Pick<Catalogue, 'list' | 'findPrice'>): readonly string[] {
  const targets = catalogue.list().flatMap((entry) => entry.targets);
  const unpriced = targets.filter((target) => catalogue.findPrice(target) === undefined);
  return [...Map.groupBy(unpriced, ({ provider }) => provider)].map(([provider, ofProvider]) => {
    // An alias has the targets of its models.
    const names = [...new Set(ofProvider.map(({ model }) => model))];
    const further = names.length > MAX_NAMES ? ', …' : '';
    const count = names.length === 1 ? '1 model' : `${names.length} models`;
    return `${provider}: ${count} (${names.slice(0, MAX_NAMES).join(', ')}${further})`;
  });
}
