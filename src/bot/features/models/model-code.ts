import { createHash } from 'node:crypto';
import type { Catalogue, ModelEntry } from '../../../core/models/index.ts';
import { listChatModels } from '../../models/model-choice.ts';

/** Telegram's 64 for a payload, without its beginning. */
const MAX_CODE_LENGTH = 62;
const HASH_LENGTH = 22;

/**
 * A chat model's name in the letters that links may have: readable, `openai/gpt-4.1` as `openai_gpt-4_1`, where no other model would
 * be called so, else a hash. Undefined of models that are not listed: nobody could tell which one was meant.
 */
export function toModelCode(catalogue: Catalogue, id: string): string | undefined {
  const models = listChatModels(catalogue);
  if (!models.some((one) => one.id === id)) return undefined;
  const readable = toReadable(id);
  const isUnique = models.every((other) => other.id === id || toReadable(other.id) !== readable);
  return isUnique && readable.length <= MAX_CODE_LENGTH ? readable : toHash(id);
}

/** The chat model that a link means; undefined where none is called so, or several are by now. */
export function findModelByCode(catalogue: Catalogue, code: string): ModelEntry | undefined {
  const models = listChatModels(catalogue);
  const named = models.filter(({ id }) => toReadable(id) === code);
  if (named.length > 1) return undefined;
  return named[0] ?? models.find(({ id }) => toHash(id) === code);
}

function toReadable(id: string): string {
  return id.replaceAll(/[^\w-]/g, '_');
}

function toHash(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, HASH_LENGTH);
}
