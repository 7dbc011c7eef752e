import type { User } from '../../core/accounts/index.ts';
import type { Catalogue, ModelEntry } from '../../core/models/index.ts';

/** The model that answers a person. */
export interface AnsweringModel {
  readonly entry: ModelEntry;
  /** The person's choice, where it has vanished and another one answers in its place. */
  readonly gone: string | undefined;
}

/** The person's model, or the default one where it is unset or gone; undefined where there is no model at all. */
export function findAnsweringModel(catalogue: Catalogue, user: User): AnsweringModel | undefined {
  const chosen = user.settings.model;
  const entry = chosen === undefined ? undefined : catalogue.find(chosen);
  if (entry?.type === 'chat') return { entry, gone: undefined };
  const fallback = catalogue.defaultChatModel();
  return fallback && { entry: fallback, gone: chosen };
}

/** Chat models whose id or display name contains every word of the search, in the catalogue's order. */
export function listChatModels(catalogue: Catalogue, search = ''): readonly ModelEntry[] {
  return listModels(catalogue, 'chat', search);
}

/** The same of image models. */
export function listImageModels(catalogue: Catalogue, search = ''): readonly ModelEntry[] {
  return listModels(catalogue, 'image', search);
}

function listModels(catalogue: Catalogue, type: ModelEntry['type'], search: string): readonly ModelEntry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return catalogue.list().filter((entry) => {
    const name = `${entry.id} ${entry.displayName ?? ''}`.toLowerCase();
    return entry.type === type && words.every((word) => name.includes(word));
  });
}

/** The chat model that bears exactly this name, in whatever case. */
export function findChatModelByName(catalogue: Catalogue, name: string): ModelEntry | undefined {
  const wanted = name.toLowerCase();
  return listChatModels(catalogue).find((entry) => entry.id.toLowerCase() === wanted);
}

/** A chat model that is known to see pictures, beside the one named. */
export function findSeeingModel(catalogue: Catalogue, besides: string): string | undefined {
  return listChatModels(catalogue).find(({ id, acceptsImages }) => acceptsImages && id !== besides)?.id;
}

/** A name cut in its middle to at most `maxLength` characters: the vendor in front and the size at the end both tell models apart. */
export function shortenMiddle(name: string, maxLength: number): string {
  const characters = [...name];
  if (characters.length <= maxLength) return name;
  const tail = Math.floor((maxLength - 1) / 2);
  const head = maxLength - 1 - tail;
  return `${characters.slice(0, head).join('')}…${characters.slice(-tail).join('')}`;
}
