import type { User } from '../../../core/accounts/index.ts';
import type { Catalogue, ModelEntry } from '../../../core/models/index.ts';
import { listImageModels } from '../../models/model-choice.ts';
import type { PictureOrder } from './picture-order.ts';

/** The image model that draws for a person who names none; undefined where there is none at all. */
export function findDrawingModel(catalogue: Catalogue, user: User): ModelEntry | undefined {
  const chosen = user.settings.imageModel;
  const entry = chosen === undefined ? undefined : catalogue.find(chosen);
  return entry?.type === 'image' ? entry : catalogue.defaultImageModel();
}

/** The models that can draw an order: all image models, or for an edit those that take a picture. */
export function listModelsFor(catalogue: Catalogue, order: Pick<PictureOrder, 'source'>): readonly ModelEntry[] {
  return listImageModels(catalogue).filter((entry) => !order.source || entry.acceptsImages === true);
}

/** The image models that a written name means: one where it is exact or only one has it as a part. */
export function listNamedModels(catalogue: Catalogue, name: string): readonly ModelEntry[] {
  const wanted = name.toLowerCase();
  const exact = listImageModels(catalogue).find((entry) => entry.id.toLowerCase() === wanted) ?? catalogue.find(name);
  return exact?.type === 'image' ? [exact] : listImageModels(catalogue, name);
}

/** Who draws an order (a public name), or why nobody can. */
export type ChosenModel =
  | { readonly model: string }
  | { readonly problem: 'no-models' | 'none-edits' }
  /** The named model can't edit pictures. */
  | { readonly problem: 'cannot-edit'; readonly model: string };

/**
 * The model that an order names, else the person's, else for an edit any that can. That a named one has vanished is found
 * when it is asked.
 */
export function chooseModel(catalogue: Catalogue, user: User, order: PictureOrder): ChosenModel {
  if (order.model !== undefined) {
    const named = catalogue.find(order.model);
    const cannotEdit = order.source && named && named.acceptsImages !== true;
    return cannotEdit ? { problem: 'cannot-edit', model: named.id } : { model: order.model };
  }
  const usual = findDrawingModel(catalogue, user);
  if (!usual) return { problem: 'no-models' };
  const able = listModelsFor(catalogue, order);
  const entry = able.find(({ id }) => id === usual.id) ?? (order.source ? able[0] : usual);
  return entry ? { model: entry.id } : { problem: 'none-edits' };
}
