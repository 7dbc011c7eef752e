import { isJsonObject } from '../../../../lib/json/json.ts';

/** A model file of the WebUI. */
export interface Checkpoint {
  /** Public model name: letters, digits and `. _ + -`. Unique in its list. */
  readonly id: string;
  /** Title in the WebUI's menus. */
  readonly title: string;
}

const MAX_CHECKPOINTS = 2000;
const MAX_ID_LENGTH = 150;

/**
 * Reads the response of `GET /sdapi/v1/sd-models`: `[{title, model_name, hash, …}]`.
 * @returns undefined if it is not a list of models.
 */
export function parseCheckpoints(listing: unknown): readonly Checkpoint[] | undefined {
  if (!Array.isArray(listing)) return undefined;
  const checkpoints = new Map<string, Checkpoint>();
  for (const entry of listing.slice(0, MAX_CHECKPOINTS)) {
    if (!isJsonObject(entry) || typeof entry.title !== 'string') continue;
    const name = typeof entry.model_name === 'string' ? entry.model_name : entry.title;
    const id = toUniqueId(name, (candidate) => checkpoints.has(candidate));
    checkpoints.set(id, { id, title: entry.title });
  }
  return [...checkpoints.values()];
}

function toUniqueId(name: string, isTaken: (id: string) => boolean): string {
  const safe = name.replace(/[^\p{L}\p{N}._+-]+/gu, '-').replace(/^-+|(?<!-)-+$/g, '');
  const base = safe.slice(0, MAX_ID_LENGTH) || 'model';
  let id = base;
  for (let number = 2; isTaken(id); number += 1) id = `${base}-${number}`;
  return id;
}
