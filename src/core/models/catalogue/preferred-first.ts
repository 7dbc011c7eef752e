import type { ProviderModel } from '../contract/provider.ts';

/** Moves the preferred models to the front, in their order. */
export function preferredFirst(
  models: readonly ProviderModel[],
  preferred: readonly string[],
): readonly ProviderModel[] {
  const rank = ({ id }: ProviderModel) => (preferred.includes(id) ? preferred.indexOf(id) : preferred.length);
  return [...models].sort((a, b) => rank(a) - rank(b));
}
