import { parseSync } from '@swc/core';
import { isJsonObject, type JsonObject } from '../../src/lib/json/json.ts';

/** Yields all nodes in the syntax tree of a TypeScript file (`.ts` or `.tsx`), as swc describes them. */
export function* listSyntaxNodes(path: string, code: string): Generator<JsonObject> {
  const waiting: unknown[] = [parseSync(code, { syntax: 'typescript', tsx: path.endsWith('.tsx'), target: 'esnext' })];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (isJsonObject(node)) yield node;
    if (typeof node === 'object' && node !== null) waiting.push(...Object.values(node));
  }
}
