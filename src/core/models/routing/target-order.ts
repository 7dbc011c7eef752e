import type { ModelTarget } from '../catalogue/catalogue.ts';
import type { Provider } from '../contract/provider.ts';
import type { TargetHealth } from './target-health.ts';

interface OrderDeps {
  /** Returns a number from 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly health: TargetHealth;
  readonly findProvider: (name: string) => Provider | undefined;
  /** Returns whether the target forwards the request in the client's dialect. */
  readonly isNative: (target: ModelTarget) => boolean;
}

/**
 * Yields the available targets tier by tier, then the resting ones as a last resort. In a tier, native targets are
 * first: prompt caches and signatures of a conversation are valid at one host, and translation loses some fields.
 */
export function* inOrder(tiers: readonly (readonly ModelTarget[])[], deps: OrderDeps): Generator<ModelTarget> {
  const { health, isNative } = deps;
  const weigh = ({ provider }: ModelTarget) => Math.max(0, deps.findProvider(provider)?.weight ?? 0);
  // A provider of weight 0 is only for failover.
  const isPreferred = (target: ModelTarget) => isNative(target) && weigh(target) > 0;
  const resting: ModelTarget[] = [];
  for (const tier of tiers) {
    const preferred = tier.filter(isPreferred);
    const others = tier.filter((target) => !isPreferred(target));
    for (const target of [...drawFirst(preferred, weigh, deps), ...drawFirst(others, weigh, deps)]) {
      if (health.mayAsk(target)) yield target;
      else resting.push(target);
    }
  }
  yield* resting;
}

/** Chooses the first target at random by weight; the others keep their order. */
function drawFirst(
  targets: readonly ModelTarget[],
  weigh: (target: ModelTarget) => number,
  { random }: Pick<OrderDeps, 'random'>,
): readonly ModelTarget[] {
  if (targets.length < 2) return targets;
  const weights = targets.map(weigh);
  let drawn = random() * weights.reduce((sum, weight) => sum + weight, 0);
  const index = weights.findIndex((weight) => {
    drawn -= weight;
    return drawn < 0;
  });
  const first = targets[index];
  return first ? [first, ...targets.filter((target) => target !== first)] : targets;
}
