import type { UnknownFields } from '../core/models/contract/chat-request.ts';
import { UntranslatableError } from '../core/models/contract/model-errors.ts';
import { isJsonObject } from '../lib/json/json.ts';

/** Returns the fields for the value of a setting, or undefined if the value has no equivalent. */
export type Translate<Fields> = (value: unknown) => Fields | undefined;

type Ignore = Translate<Record<never, never>>;

/** The answer is the same without the setting. */
const ignored: Ignore = () => ({});
/** The values mean what models do anyway. */
const only =
  (...usual: readonly unknown[]): Ignore =>
  (value) =>
    usual.includes(value) ? {} : undefined;

/** Settings of chat completions that mean nothing to vendors with other protocols, or only with their usual values. */
const IGNORED_SETTINGS: ReadonlyMap<string, Ignore> = new Map<string, Ignore>([
  ['user', ignored],
  ['safety_identifier', ignored],
  ['metadata', ignored],
  ['store', ignored],
  ['prediction', ignored],
  ['prompt_cache_key', ignored],
  ['prompt_cache_retention', ignored],
  ['prompt_cache_options', ignored],
  ['service_tier', ignored],
  ['logprobs', only(false)],
  ['top_logprobs', only(0)],
  ['frequency_penalty', only(0)],
  ['presence_penalty', only(0)],
  ['logit_bias', (value) => (isJsonObject(value) && Object.keys(value).length === 0 ? {} : undefined)],
  ['verbosity', only('medium')],
  ['modalities', (value) => (Array.isArray(value) && value.every((name) => name === 'text') ? {} : undefined)],
]);

/**
 * Converts the settings that the model interface does not name, for vendors with other protocols than chat completions.
 * @param settings settings that the vendor has. All others are ignored if the answer is the same without them, else
 * refused.
 * @throws UntranslatableError
 */
export function translateExtraFields<Fields extends object>(
  extraFields: UnknownFields = {},
  settings: ReadonlyMap<string, Translate<Fields>>,
): Fields {
  const fields = Object.entries(extraFields).map(([name, value]) => {
    const translated = (settings.get(name) ?? IGNORED_SETTINGS.get(name))?.(value);
    if (!translated) throw new UntranslatableError(name, 'with this value is not supported by this model');
    return translated;
  });
  return Object.assign({}, ...fields);
}
