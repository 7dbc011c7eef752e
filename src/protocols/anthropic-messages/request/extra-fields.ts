import type { ChatRequest, UnknownFields } from '../../../core/models/contract/chat-request.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { type Translate, translateExtraFields } from '../../extra-fields.ts';

const SERVICE_TIERS: Readonly<Record<string, JsonObject>> = {
  auto: { service_tier: 'auto' },
  default: { service_tier: 'standard_only' },
};

/** Settings that the Messages API has, and those of its own that clients of chat completions add. */
const SETTINGS: ReadonlyMap<string, Translate<JsonObject>> = new Map<string, Translate<JsonObject>>([
  ['service_tier', (value) => (typeof value === 'string' ? SERVICE_TIERS[value] : undefined) ?? {}],
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
export function toExtraFields({ extraFields, hints }: Pick<ChatRequest, 'extraFields' | 'hints'>): JsonObject {
  return { ...translateExtraFields(extraFields, SETTINGS), ...toMetadata({ ...extraFields, ...hints }) };
}

function toMetadata({ safety_identifier: identifier, user }: UnknownFields): JsonObject {
  const id = identifier ?? user;
  return typeof id === 'string' && id !== '' && id.length <= MAX_USER_LENGTH ? { metadata: { user_id: id } } : {};
}
