import type { User } from '../../../core/accounts/index.ts';
import type { Catalogue, ModelEntry } from '../../../core/models/index.ts';
import { listImageModels } from '../../choices/model-choice.ts';
import type { ImagineOptions } from './parse-imagine.ts';

/** Returns the user's image model, or the default one; undefined if there are no image models. */
export function findImageModel(catalogue: Catalogue, user: User): ModelEntry | undefined {
  const chosen = user.settings.imageModel;
  const entry = chosen === undefined ? undefined : catalogue.find(chosen);
  return entry?.type === 'image' ? entry : catalogue.defaultImageModel();
}

/** Returns the models for a request: all image models, or for an edit those that edit, before those that may. */
export function listModelsFor(catalogue: Catalogue, options: Pick<ImagineOptions, 'source'>): readonly ModelEntry[] {
  const models = listImageModels(catalogue);
  if (!options.source) return models;
  const known = models.filter(({ acceptsImages }) => acceptsImages === true);
  return [...known, ...models.filter(({ acceptsImages }) => acceptsImages === undefined)];
}

/** Returns the image models that a written name matches: the one with exactly this name, otherwise all that contain it. */
export function findModelsByName(catalogue: Catalogue, name: string): readonly ModelEntry[] {
  const lowerCaseName = name.toLowerCase();
  const exact =
    listImageModels(catalogue).find((entry) => entry.id.toLowerCase() === lowerCaseName) ?? catalogue.find(name);
  return exact?.type === 'image' ? [exact] : listImageModels(catalogue, name);
}

/** Public name of the model for a request, or the reason why there is none. */
export type ChosenModel =
  | { readonly model: string }
  | { readonly problem: 'no-models' | 'none-edits' }
  /** The named model can't edit images. */
  | { readonly problem: 'cannot-edit'; readonly model: string };

/**
 * Chooses the model that the request names, otherwise the user's, otherwise for an edit any that can edit. A named
 * model that no longer exists fails later, with the request to it.
 */
export function chooseModel(catalogue: Catalogue, user: User, options: ImagineOptions): ChosenModel {
  if (options.model !== undefined) {
    const named = catalogue.find(options.model);
    const cannotEdit = options.source && named && named.acceptsImages === false;
    return cannotEdit ? { problem: 'cannot-edit', model: named.id } : { model: options.model };
  }
  const usual = findImageModel(catalogue, user);
  if (!usual) return { problem: 'no-models' };
  const able = listModelsFor(catalogue, options);
  const isPreferred = !options.source || usual.acceptsImages === true;
  const entry = isPreferred ? usual : able[0];
  return entry ? { model: entry.id } : { problem: 'none-edits' };
}
