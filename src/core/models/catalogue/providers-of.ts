import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';

const MAX_HOSTS = 50;

/** Returns the hosts of a model, as Hugging Face's router lists them. */
export function providersOf(entry: JsonObject): readonly JsonObject[] {
  return Array.isArray(entry.providers) ? entry.providers.slice(0, MAX_HOSTS).filter(isJsonObject) : [];
}
