import type { ModelPrice, ModelType, ProviderModel } from '../contract/provider.ts';
import type { Catalogue, ModelEntry, ModelTarget, PriceSource } from './catalogue.ts';
import { modelTypeByName } from './model-kind.ts';

/** The models that one provider serves now. */
export interface CatalogueSource {
  readonly provider: string;
  readonly acceptsAnyModel: boolean;
  /** False until the provider's list was read once, from its host or from the cache. */
  readonly isListKnown: boolean;
  readonly models: readonly ProviderModel[];
  /** Whether `models` come from the providers file, with their prices. Default: from the provider. */
  readonly isConfigured?: boolean | undefined;
  /** Returns whether the operator has declared a field of requests to be free here. Default none. */
  readonly isFreeField?: ((field: string) => boolean) | undefined;
  /** Returns the list price of a model without a price of its own. Default: none. */
  readonly findListPrice?: ((model: string) => ModelPrice | undefined) | undefined;
  /** Returns whether a model without such a fact of its own reads PDF files; undefined if unknown. Default: unknown. */
  readonly findListedPdf?: ((model: string) => boolean | undefined) | undefined;
  /** Returns where list prices come from. Default: unknown. */
  readonly readListSource?: (() => PriceSource | undefined) | undefined;
}

export interface CatalogueOptions {
  /**
   * Names that the operator has defined, each for models in the order of preference. An alias hides a model of the same
   * name.
   */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  /** Public name of the default chat model. Ignored if it is not available. */
  readonly defaultModel: string | undefined;
  /** Public name of the default image model. Ignored if it is not available. */
  readonly defaultImageModel: string | undefined;
  /** Public name of the embedding model of libraries. Default none. Ignored if it can't be used. */
  readonly libraryEmbeddingModel?: string | undefined;
  /** Creation time in Unix seconds for models whose host does not report one. */
  readonly fallbackCreated: number;
}

/** A catalogue that also resolves names to targets. */
export interface RoutingCatalogue extends Catalogue {
  /** Returns the targets for requests of a type, or undefined for unknown names. */
  resolve(id: string, type: ModelType): ModelRoute | undefined;
}

/** Targets of a public name. */
export interface ModelRoute {
  readonly type: ModelType;
  /** Targets in tiers. The next tier is tried when the previous one has failed. */
  readonly tiers: readonly (readonly ModelTarget[])[];
}

const MAX_NAME_LENGTH = 200;
/** Fields that change the number of tokens of an image. */
const IMAGE_TOKEN_FIELDS: ReadonlySet<string> = new Set(['quality', 'input_fidelity']);

/** Merges the lists of all providers. Pure; the result is immutable. */
export function createCatalogue(given: readonly CatalogueSource[], options: CatalogueOptions): RoutingCatalogue {
  const sources = given.map(withListFacts);
  const { entries, byQualifiedName } = mergeSources(sources, options.fallbackCreated);
  const findListed = (id: string) => byQualifiedName.get(id) ?? entries.get(id);
  const aliases = toAliasEntries(options, (id) => findListed(id) ?? findUnlisted(sources, options, id));
  const list = [
    ...[...aliases.values()].map(({ entry }) => entry),
    ...[...entries.values()].filter(({ id }) => !aliases.has(id)),
  ];

  const find = (id: string) => {
    if (id === '' || id.length > MAX_NAME_LENGTH) return undefined;
    const listed = aliases.get(id)?.entry ?? findListed(id);
    // An alias means nothing to a host that accepts any name.
    return listed ?? (Object.hasOwn(options.aliases, id) ? undefined : findUnlisted(sources, options, id));
  };
  const findDefault = (type: ModelType, name: string | undefined) => {
    const chosen = name === undefined ? undefined : find(name);
    return chosen?.type === type ? chosen : list.find((entry) => entry.type === type);
  };
  const findPrice = ({ provider, model }: ModelTarget) => {
    const listed = byQualifiedName.get(`${provider}/${model}`);
    return listed ? listed.price : sources.find((source) => source.provider === provider)?.findListPrice?.(model);
  };
  const isListed = (id: string) => aliases.has(id) || findListed(id) !== undefined;
  return {
    list: () => list,
    find,
    findPrice,
    findPriceSource(target) {
      const source = given.find(({ provider }) => provider === target.provider);
      const own = source?.models.find(({ id }) => id === target.model)?.price;
      if (own) return { kind: source?.isConfigured ? 'providers-file' : 'provider' };
      return source?.findListPrice?.(target.model) && source.readListSource?.();
    },
    findPrices(id) {
      const prices = find(id)?.targets.map(findPrice);
      return prices?.every((price) => price !== undefined) ? prices : undefined;
    },
    isFreeField(id, field) {
      const isFreeAt = (target: ModelTarget) =>
        (IMAGE_TOKEN_FIELDS.has(field) && findPrice(target)?.imageOutput !== undefined) ||
        (field === 'quality' && findPrice(target)?.imageRates !== undefined) ||
        (given.find(({ provider }) => provider === target.provider)?.isFreeField?.(field) ?? false);
      return find(id)?.targets.every(isFreeAt) ?? false;
    },
    defaultChatModel: () => findDefault('chat', options.defaultModel),
    defaultImageModel: () => findDefault('image', options.defaultImageModel),
    libraryEmbeddingModel() {
      const { libraryEmbeddingModel: name } = options;
      const chosen = name === undefined ? undefined : find(name);
      return chosen && canCompareVectors(chosen) ? chosen : undefined;
    },
    resolve(id, type) {
      const entry = find(id);
      if (!entry) return undefined;
      // The type of an unlisted model is unknown, so the requested type is assumed.
      return { type: isListed(id) ? entry.type : type, tiers: aliases.get(id)?.tiers ?? [entry.targets] };
    },
  };
}

/** Returns whether all vectors of a model can be compared: those of different models can't. */
function canCompareVectors({ type, targets }: ModelEntry): boolean {
  return type === 'embedding' && targets.every(({ model }) => model === targets[0]?.model);
}

/** Fills in what the shipped list says about models, where neither the host nor the operator does. */
function withListFacts(source: CatalogueSource): CatalogueSource {
  const { models, findListPrice, findListedPdf } = source;
  return {
    ...source,
    models: models.map((model) => ({
      ...model,
      price: model.price ?? findListPrice?.(model.id),
      acceptsPdf: model.acceptsPdf ?? (model.type === 'chat' ? findListedPdf?.(model.id) : undefined),
    })),
  };
}

/**
 * Returns one entry for each name and type. `provider/name` always means that provider's model: if a host lists a name
 * that looks like another provider's qualified one, the listed model has only its own qualified name.
 */
function mergeSources(sources: readonly CatalogueSource[], fallbackCreated: number) {
  const byQualifiedName = new Map<string, ModelEntry>();
  for (const { provider, models } of sources) {
    for (const model of models) {
      const target = { provider, model: model.id };
      byQualifiedName.set(
        `${provider}/${model.id}`,
        toEntry(`${provider}/${model.id}`, model, target, fallbackCreated),
      );
    }
  }
  const entries = new Map<string, ModelEntry>();
  for (const { provider, models } of sources) {
    for (const model of models) {
      const target = { provider, model: model.id };
      const present = entries.get(model.id);
      if (byQualifiedName.has(model.id) || (present && present.type !== model.type)) {
        const id = `${provider}/${model.id}`;
        entries.set(id, toEntry(id, model, target, fallbackCreated));
      } else {
        entries.set(
          model.id,
          present ? merge(present, model, target) : toEntry(model.id, model, target, fallbackCreated),
        );
      }
    }
  }
  return { entries, byQualifiedName };
}

function toEntry(id: string, model: ProviderModel, target: ModelTarget, fallbackCreated: number): ModelEntry {
  return {
    id,
    type: model.type,
    ownedBy: model.ownedBy ?? target.provider,
    displayName: model.displayName,
    created: model.created ?? fallbackCreated,
    contextLength: model.contextLength,
    price: model.price,
    acceptsImages: model.acceptsImages,
    acceptsPdf: model.acceptsPdf,
    acceptsTools: model.acceptsTools,
    targets: [target],
  };
}

/**
 * The first host's values take precedence; later hosts fill in missing ones. That PDF files are read must be known of
 * each host, because a host that can't read them refuses the request.
 */
function merge(entry: ModelEntry, model: ProviderModel, target: ModelTarget): ModelEntry {
  return {
    ...entry,
    displayName: entry.displayName ?? model.displayName,
    contextLength: entry.contextLength ?? model.contextLength,
    price: entry.price ?? model.price,
    acceptsImages: entry.acceptsImages ?? model.acceptsImages,
    acceptsPdf: entry.acceptsPdf === model.acceptsPdf ? entry.acceptsPdf : undefined,
    acceptsTools: entry.acceptsTools ?? model.acceptsTools,
    targets: [...entry.targets, target],
  };
}

/**
 * Returns the entry of a name that is in no list. `provider/name` is a model of that provider only, and exists only if
 * the provider accepts any name or its list could not be read yet: a request must not reach another host.
 */
function findUnlisted(
  sources: readonly CatalogueSource[],
  { fallbackCreated }: CatalogueOptions,
  id: string,
): ModelEntry | undefined {
  const named = sources.find(({ provider }) => id.startsWith(`${provider}/`));
  const targets = named ? toNamedTargets(named, id) : toTargetsOfAny(sources, id);
  const [first] = targets;
  if (!first) return undefined;
  const findListPrice = ({ provider, model }: ModelTarget) =>
    sources.find((source) => source.provider === provider)?.findListPrice?.(model);
  const price = targets.map(findListPrice).find((known) => known !== undefined);
  const findListedPdf = ({ provider, model }: ModelTarget) =>
    sources.find((source) => source.provider === provider)?.findListedPdf?.(model);
  const acceptsPdf = targets.every((target) => findListedPdf(target) === true) || undefined;
  const model = { id: first.model, type: modelTypeByName(first.model), price, acceptsPdf };
  return { ...toEntry(id, model, first, fallbackCreated), targets };
}

function toNamedTargets(
  { provider, acceptsAnyModel, isListKnown }: CatalogueSource,
  id: string,
): readonly ModelTarget[] {
  const model = id.slice(provider.length + 1);
  return model !== '' && (acceptsAnyModel || !isListKnown) ? [{ provider, model }] : [];
}

function toTargetsOfAny(sources: readonly CatalogueSource[], id: string): readonly ModelTarget[] {
  return sources.filter(({ acceptsAnyModel }) => acceptsAnyModel).map(({ provider }) => ({ provider, model: id }));
}

interface AliasEntry {
  readonly entry: ModelEntry;
  readonly tiers: readonly (readonly ModelTarget[])[];
}

/** Returns the aliases with at least one available model. Each is described by the first of its models. */
function toAliasEntries(
  { aliases }: CatalogueOptions,
  find: (id: string) => ModelEntry | undefined,
): Map<string, AliasEntry> {
  const result = new Map<string, AliasEntry>();
  for (const [id, names] of Object.entries(aliases)) {
    const models = names.flatMap((name) => find(name) ?? []);
    const [first] = models;
    if (!first) continue;
    const served = models.filter((model) => model.type === first.type);
    const tiers = served.map((model) => model.targets);
    const acceptsPdf = served.every((model) => model.acceptsPdf === first.acceptsPdf) ? first.acceptsPdf : undefined;
    result.set(id, { entry: { ...first, id, acceptsPdf, targets: tiers.flat() }, tiers });
  }
  return result;
}
