import { createHash } from 'node:crypto';
import type { Catalogue, ModelEntry } from '../../../core/models/index.ts';
import { listChatModels } from '../../choices/model-choice.ts';

/** Telegram's limit of 64 characters for a payload, minus the prefix. */
const MAX_CODE_LENGTH = 62;
const HASH_LENGTH = 22;

/**
 * Returns a model's code for links: readable (`openai_gpt-4_1` for `openai/gpt-4.1`) if it is unique and short enough,
 * otherwise a hash. Undefined for models that are not listed, as the code could not be resolved.
 */
export function toModelCode(catalogue: Catalogue, id: string): string | undefined {
  const models = listChatModels(catalogue);
  if (!models.some((one) => one.id === id)) return undefined;
  const readable = toReadable(id);
  const isUnique = models.every((other) => other.id === id || toReadable(other.id) !== readable);
  return isUnique && readable.length <= MAX_CODE_LENGTH ? readable : toHash(id);
}

/** Returns the chat model of a code; undefined if there is none, or several match by now. */
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
