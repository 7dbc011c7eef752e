import type { ModelTarget } from './catalogue.ts';
import type { Provider } from './provider.ts';
import type { TargetHealth } from './target-health.ts';

interface OrderDeps {
  /** Returns a number from 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly health: TargetHealth;
  readonly findProvider: (name: string) => Provider | undefined;
}

/** Yields the available targets tier by tier, then the resting ones as a last resort. */
export function* inOrder(tiers: readonly (readonly ModelTarget[])[], deps: OrderDeps): Generator<ModelTarget> {
  const resting: ModelTarget[] = [];
  for (const tier of tiers) {
    for (const target of drawFirst(tier, deps)) {
      if (deps.health.mayAsk(target)) yield target;
      else resting.push(target);
    }
  }
  yield* resting;
}

/** Chooses the first target at random by weight; the others keep their order. */
function drawFirst(targets: readonly ModelTarget[], { findProvider, random }: OrderDeps): readonly ModelTarget[] {
  if (targets.length < 2) return targets;
  const weights = targets.map(({ provider }) => Math.max(0, findProvider(provider)?.weight ?? 0));
  let drawn = random() * weights.reduce((sum, weight) => sum + weight, 0);
  const index = weights.findIndex((weight) => {
    drawn -= weight;
    return drawn < 0;
  });
  const first = targets[index];
  return first ? [first, ...targets.filter((target) => target !== first)] : targets;
}
