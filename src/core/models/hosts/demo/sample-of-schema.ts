import { isJsonObject, type JsonObject } from '../../../../lib/json/json.ts';

const MAX_DEPTH = 8;

/** Returns a value that matches a JSON Schema of the usual kind (objects, arrays, enums, plain types). */
export function sampleOfSchema(schema: unknown, depth = 0): unknown {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return {};
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const alternative = [schema.anyOf, schema.oneOf, schema.allOf].find((list) => Array.isArray(list));
  if (Array.isArray(alternative)) return sampleOfSchema(alternative[0], depth + 1);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string':
      return 'demo';
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return [sampleOfSchema(schema.items, depth + 1)];
    default:
      return sampleOfObject(schema, depth);
  }
}

function sampleOfObject(schema: JsonObject, depth: number): JsonObject {
  const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  return Object.fromEntries(properties.map(([name, property]) => [name, sampleOfSchema(property, depth + 1)]));
}
