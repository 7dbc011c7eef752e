import type { ModelPrice } from './provider.ts';

/** A model under its public name, from every provider that serves it. */
export interface ModelEntry {
  /** Public name: the provider's own where it is unique or shared by several hosts of the same model, else `provider/name`. */
  readonly id: string;
  readonly type: 'chat' | 'image';
  readonly ownedBy: string;
  readonly displayName: string | undefined;
  /** Unix seconds. */
  readonly created: number;
  /** Tokens of prompt and completion together, where known. */
  readonly contextLength: number | undefined;
  readonly price: ModelPrice | undefined;
  /** True where images may stand in the messages of a chat model, or where an image model edits pictures. */
  readonly acceptsImages: boolean | undefined;
  /** False where a chat model is known to refuse requests that offer tools. */
  readonly acceptsTools?: boolean | undefined;
  /** Where a request may go, in the order of preference before weights. */
  readonly targets: readonly ModelTarget[];
}

export interface ModelTarget {
  readonly provider: string;
  /** The provider's own name of the model. */
  readonly model: string;
}

/** All models that can be asked for right now. */
export interface Catalogue {
  /** In the order of the providers; a new array only after a change. */
  list(): readonly ModelEntry[];
  /** Also finds `provider/name`, and any name where a provider accepts any. */
  find(id: string): ModelEntry | undefined;
  /** The chat model people get until they choose; undefined while nothing is known. */
  defaultChatModel(): ModelEntry | undefined;
  /** The image model people get until they choose; undefined while there is none. */
  defaultImageModel(): ModelEntry | undefined;
}
