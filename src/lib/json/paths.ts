import { isJsonObject, type JsonObject } from './json.ts';

/** Returns a field of nested objects; undefined if there is none. @param path such as `['price', 'input']`. */
export function readPath(value: unknown, path: readonly string[]): unknown {
  return path.reduce(
    (outer: unknown, step) => (isJsonObject(outer) && Object.hasOwn(outer, step) ? outer[step] : undefined),
    value,
  );
}

/** Sets a field of nested objects, and creates those on the way. */
export function writePath(target: JsonObject, [step = '', ...steps]: readonly string[], content: unknown): void {
  if (steps.length === 0) {
    target[step] = content;
    return;
  }
  const inner = target[step];
  const next: JsonObject = isJsonObject(inner) ? inner : {};
  target[step] = next;
  writePath(next, steps, content);
}

/** Removes a field, and the objects around it that are empty then. */
export function removePath(target: JsonObject, [step = '', ...steps]: readonly string[]): void {
  const inner = target[step];
  if (steps.length > 0 && isJsonObject(inner)) removePath(inner, steps);
  if (steps.length === 0 || (isJsonObject(inner) && Object.keys(inner).length === 0)) delete target[step];
}
