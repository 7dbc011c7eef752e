import { isJsonObject, type JsonObject } from '../../../../lib/json.ts';
import type { ChatRequest, UnknownFields } from '../../chat-model.ts';
import { UntranslatableError } from './untranslatable-error.ts';

/** Returns the fields for a value, or undefined if the value has no equivalent. */
type Translate = (value: unknown) => JsonObject | undefined;

/** The answer is the same without the setting. */
const ignored: Translate = () => ({});
/** The values mean what the Messages API does anyway. */
const only =
  (...usual: readonly unknown[]): Translate =>
  (value) =>
    usual.includes(value) ? {} : undefined;

const SERVICE_TIERS: Readonly<Record<string, JsonObject>> = {
  auto: { service_tier: 'auto' },
  default: { service_tier: 'standard_only' },
};

/** Settings of chat completions, and those of the Messages API that clients add to them. All others are refused. */
const SETTINGS: ReadonlyMap<string, Translate> = new Map<string, Translate>([
  ['user', ignored],
  ['safety_identifier', ignored],
  ['metadata', ignored],
  ['store', ignored],
  ['prediction', ignored],
  ['prompt_cache_key', ignored],
  ['prompt_cache_retention', ignored],
  ['service_tier', (value) => (typeof value === 'string' ? SERVICE_TIERS[value] : undefined) ?? {}],
  ['logprobs', only(false)],
  ['top_logprobs', only(0)],
  ['frequency_penalty', only(0)],
  ['presence_penalty', only(0)],
  ['logit_bias', (value) => (isJsonObject(value) && Object.keys(value).length === 0 ? {} : undefined)],
  ['verbosity', only('medium')],
  ['modalities', (value) => (Array.isArray(value) && value.every((name) => name === 'text') ? {} : undefined)],
  ['top_k', (value) => ({ top_k: value })],
  ['thinking', (value) => ({ thinking: value })],
  ['cache_control', (value) => ({ cache_control: value })],
]);

/** Maximum length of `metadata.user_id`. */
const MAX_USER_LENGTH = 256;

/**
 * Converts the settings that the model interface does not name.
 * @throws UntranslatableError
 */
export function toFurtherFields({ further = {}, hints }: Pick<ChatRequest, 'further' | 'hints'>): JsonObject {
  const fields = Object.entries(further).map(([name, value]) => {
    const translated = SETTINGS.get(name)?.(value);
    if (!translated) throw new UntranslatableError(name, `'${name}' with this value is not supported by this model.`);
    return translated;
  });
  return Object.assign({}, ...fields, toMetadata({ ...further, ...hints }));
}

function toMetadata({ safety_identifier: identifier, user }: UnknownFields): JsonObject {
  const id = identifier ?? user;
  return typeof id === 'string' && id !== '' && id.length <= MAX_USER_LENGTH ? { metadata: { user_id: id } } : {};
}
