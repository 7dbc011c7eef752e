import type { ModelType } from '../contract/provider.ts';
import type { Catalogue, ModelEntry, ModelTarget } from './catalogue.ts';

/** A catalogue of the models that a list of patterns allows. */
export interface RestrictedCatalogue extends Catalogue {
  /** Returns whether requests may name a model, known or not. */
  allows(id: string): boolean;
}

/**
 * Restricts a catalogue to the models that match one of the patterns. `*` stands for any characters; case is ignored.
 * A model matches by its public name, or if each of its targets matches as `provider/name`: a failover never reaches a
 * provider that the patterns exclude. `provider/name` also matches if the public name that includes it does.
 * @param patterns undefined: all models.
 */
export function restrictCatalogue(catalogue: Catalogue, patterns: readonly string[] | undefined): RestrictedCatalogue {
  if (patterns === undefined) return { ...catalogue, allows: () => true };
  const isMatch = createMatcher(patterns);
  const isTargetMatch = (target: ModelTarget, id: string) =>
    isMatch(`${target.provider}/${target.model}`) ||
    // The entry's own name did not match before.
    (target.model !== id && hasPublicName(catalogue, target) && isMatch(target.model));
  const isAllowed = ({ id, targets }: ModelEntry) =>
    isMatch(id) || (targets.length > 0 && targets.every((target) => isTargetMatch(target, id)));
  const list = () => catalogue.list().filter(isAllowed);
  const preferAllowed = (usual: ModelEntry | undefined, type: ModelType) =>
    usual && isAllowed(usual) ? usual : list().find((entry) => entry.type === type);
  return {
    allows(id) {
      const entry = catalogue.find(id);
      return entry ? isAllowed(entry) : isMatch(id);
    },
    list,
    find(id) {
      const entry = catalogue.find(id);
      return entry && isAllowed(entry) ? entry : undefined;
    },
    findPrice: (target) => catalogue.findPrice(target),
    findPriceSource: (target) => catalogue.findPriceSource(target),
    findPrices: (id) => catalogue.findPrices(id),
    isFreeField: (id, field) => catalogue.isFreeField(id, field),
    defaultChatModel: () => preferAllowed(catalogue.defaultChatModel(), 'chat'),
    defaultImageModel: () => preferAllowed(catalogue.defaultImageModel(), 'image'),
    libraryEmbeddingModel: () => catalogue.libraryEmbeddingModel(),
  };
}

/** Returns whether requests with the provider's own name of a model may reach this target. */
function hasPublicName(catalogue: Catalogue, { provider, model }: ModelTarget): boolean {
  const isTarget = (target: ModelTarget) => target.provider === provider && target.model === model;
  return catalogue.find(model)?.targets.some(isTarget) ?? false;
}

/** Returns a function that checks a name against all patterns, without regular expressions. */
function createMatcher(patterns: readonly string[]): (name: string) => boolean {
  const parsed = patterns.map((pattern) => pattern.toLowerCase().split('*'));
  return (name) => {
    const lower = name.toLowerCase();
    return parsed.some((segments) => isPatternMatch(segments, lower));
  };
}

/** @param segments texts between the `*` of a pattern. */
function isPatternMatch(segments: readonly string[], name: string): boolean {
  const [first = '', ...others] = segments;
  const last = others.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const segment of others) {
    const found = name.indexOf(segment, at);
    if (found < 0) return false;
    at = found + segment.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
