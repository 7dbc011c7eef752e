import type { ModelPrice, ModelType } from '../contract/provider.ts';

/** Names of models that search the web by themselves: those of Perplexity, Groq's systems, OpenRouter's and OpenAI's variants. */
const OWN_SEARCH = /(?:^|\/)(?:sonar|compound|perplexity)(?:-|$)|:online$|-search(?:-|$)|-deep-research(?:-|$)/i;

/** A model under its public name, with all providers that serve it. */
export interface ModelEntry {
  /**
   * Public name: the provider's own name if it is unique, or if several hosts serve the same model; else
   * `provider/name`.
   */
  readonly id: string;
  readonly type: ModelType;
  readonly ownedBy: string;
  readonly displayName: string | undefined;
  /** Unix seconds. */
  readonly created: number;
  /** Tokens of prompt and completion together, if known. */
  readonly contextLength: number | undefined;
  /** That of the first target that has one. */
  readonly price: ModelPrice | undefined;
  /** Whether a chat or moderation model accepts images, or an image model edits images. */
  readonly acceptsImages: boolean | undefined;
  /** True if a chat model reads PDF files as they are at each of its hosts. */
  readonly acceptsPdf?: boolean | undefined;
  /** False if a chat model is known to refuse requests with tools. */
  readonly acceptsTools?: boolean | undefined;
  /** Targets of requests, in the order of preference before weights. */
  readonly targets: readonly ModelTarget[];
}

export interface ModelTarget {
  readonly provider: string;
  /** The provider's own name of the model. */
  readonly model: string;
}

/**
 * Where the price of a model comes from: the providers file, the provider's own list of models, the price list that is
 * shipped with the service, or `free`: the operator runs the host.
 */
export type PriceSource =
  | { readonly kind: 'providers-file' | 'provider' | 'free' }
  /** @property date day on which the list was made, such as `2026-11-23`. */
  | { readonly kind: 'list'; readonly date: string };

/** All models that are available now. */
export interface Catalogue {
  /** In the order of the providers. Returns the same array until something changes. */
  list(): readonly ModelEntry[];
  /** Also finds `provider/name`, and any name if a provider accepts any. */
  find(id: string): ModelEntry | undefined;
  /** Returns the price of a provider's model, listed or not; undefined if unknown. */
  findPrice(target: ModelTarget): ModelPrice | undefined;
  /** Returns where that price comes from; undefined if it is unknown. */
  findPriceSource(target: ModelTarget): PriceSource | undefined;
  /** Returns the prices of all targets of a public name; undefined if one of them is unknown. */
  findPrices(id: string): readonly ModelPrice[] | undefined;
  /**
   * Returns whether a field of requests costs nothing beside the price of the model, at all targets of a public name:
   * by declaration of the operator, or because it changes the number of image tokens only, and these have a price.
   */
  isFreeField(id: string, field: string): boolean;
  /** The chat model of users who have not chosen one; undefined if there is none. */
  defaultChatModel(): ModelEntry | undefined;
  /** The image model of users who have not chosen one; undefined if there is none. */
  defaultImageModel(): ModelEntry | undefined;
  /**
   * The embedding model by which libraries are searched; undefined if there is none. All of its targets have the same
   * model.
   */
  libraryEmbeddingModel(): ModelEntry | undefined;
}

/** Returns whether the provider of a model searches the web for it. */
export function hasOwnWebSearch({ targets }: Pick<ModelEntry, 'targets'>): boolean {
  return targets.some(({ model }) => OWN_SEARCH.test(model));
}

/** Owner of the demonstration models in lists of models. */
export const DEMONSTRATION_OWNER = 'switchboard';

/** Returns whether a model is a demonstration with prepared answers. */
export function isDemonstration({ ownedBy }: Pick<ModelEntry, 'ownedBy'>): boolean {
  return ownedBy === DEMONSTRATION_OWNER;
}
