import { isJsonObject } from '../../lib/json.ts';
import type { NativeRequest, UnknownFields } from './native-request.ts';

/** Fields of a client's request that hosts may understand. */
interface ForwardedFields {
  readonly extraFields?: UnknownFields | undefined;
  readonly native?: NativeRequest | undefined;
}

/** Fields that name models beside `model`: those of OpenRouter and LiteLLM. */
const MODEL_FIELDS = ['models', 'fallbacks', 'preset', 'model_list'];

/** Returns the field by which a host may answer with another model than the requested one; undefined if there is none. */
export function findModelField(request: ForwardedFields): string | undefined {
  const field = MODEL_FIELDS.find((name) => isSet(readField(request, name)));
  if (field) return field;
  // Vercel's gateway.
  const options = readField(request, 'providerOptions');
  return isJsonObject(options) && isJsonObject(options['gateway']) ? 'providerOptions' : undefined;
}

/** Returns the field by which a host charges more than its list price; undefined if there is none. */
export function findDearerField(request: ForwardedFields): string | undefined {
  if (readField(request, 'service_tier') === 'priority') return 'service_tier';
  return readField(request, 'speed') === 'fast' ? 'speed' : undefined;
}

function readField({ extraFields, native }: ForwardedFields, name: string): unknown {
  return native?.body[name] ?? extraFields?.[name];
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}
