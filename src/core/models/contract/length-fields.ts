import { isJsonObject } from '../../../lib/json/json.ts';
import type { UnknownFields } from './chat-request.ts';

/** Names that hosts have for the maximum length of an answer in tokens, without separators. */
const LENGTH_NAMES = [
  ...['maxtokens', 'maxcompletiontokens', 'maxoutputtokens', 'maxnewtokens', 'maxresponsetokens', 'maxanswertokens'],
  ...['maxgentokens', 'maxgeneratedtokens', 'maxgenerationtokens', 'maxdecodetokens', 'maxtokenstosample'],
  ...['maxtokenstogenerate', 'tokenstogenerate', 'maxtokencount', 'maxnewtoken', 'numtokens', 'maxlength'],
  ...['maxoutputlength', 'maxcompletionlength', 'maxresponselength', 'maxgenerationlength', 'maxgenlen', 'maxoutlen'],
  ...['npredict', 'numpredict', 'maxpredict'],
];

/** Letters that some hosts take for others, by code: long s, Kelvin sign, dotless i, capital i with a dot. */
const LOOKALIKES: ReadonlyMap<number, number> = new Map([
  ...[...'ſKıİ'].map((letter, at): [number, number] => [letter.charCodeAt(0), 'skii'.charCodeAt(at)]),
  ...[...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter): [number, number] => [
    letter.charCodeAt(0),
    letter.toLowerCase().charCodeAt(0),
  ]),
]);
const SEPARATORS: ReadonlySet<number> = new Set([...'_- '].map((separator) => separator.charCodeAt(0)));

interface NameNode {
  readonly next: NameNode[];
  isEnd: boolean;
}

const createNode = (): NameNode => ({ next: [], isEnd: false });

/** The names letter by letter, each node by the code of its letter. */
const NAME_TREE = createNode();
for (const name of LENGTH_NAMES) {
  let node = NAME_TREE;
  for (const letter of name) node = node.next[letter.charCodeAt(0)] ??= createNode();
  node.isEnd = true;
}

/**
 * Returns whether a field has the maximum length of an answer, under any of its names and spellings: `max_tokens`,
 * `maxTokens`, `MAX-TOKENS`. Compares letter by letter, because a request may have a hundred thousand names.
 */
export function isLengthField(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH) return false;
  let node: NameNode | undefined = NAME_TREE;
  for (let at = 0; at < name.length && node; at += 1) {
    const code = name.charCodeAt(at);
    if (!SEPARATORS.has(code)) node = node.next[LOOKALIKES.get(code) ?? code];
  }
  return node?.isEnd === true;
}

const MAX_NAME_LENGTH = 64;

/** Fields whose contents are words, schemas or names of the client, not settings. */
const CONTENTS: ReadonlySet<string> = new Set([
  ...['messages', 'system', 'prompt', 'suffix', 'input', 'instructions', 'tools', 'tool_choice', 'functions', 'stop'],
  ...['response_format', 'output_format', 'output_config', 'text', 'json_schema', 'guided_json', 'structured_outputs'],
  ...['metadata', 'client_metadata', 'chat_template_kwargs', 'logit_bias', 'include', 'prediction', 'schema'],
  ...['response_schema', 'responseSchema', 'responseJsonSchema', 'documents'],
]);

/** A field with the maximum length of an answer. */
interface LengthField {
  /** Path in the request: `options.num_predict`. */
  readonly path: string;
  readonly value: unknown;
}

/**
 * Returns the maximum lengths of a request, those in nested settings too, such as `extra_body`, `options` and
 * `generationConfig`. A host uses the one that it knows, so the greatest counts.
 */
export function listLengths(fields: UnknownFields): readonly LengthField[] {
  const found: LengthField[] = [];
  const trail: string[] = [];
  const visit = (name: string, value: unknown): void => {
    if (value === undefined || (typeof value === 'object' ? CONTENTS.has(name) : !isLengthField(name))) return;
    trail.push(name);
    if (typeof value !== 'object') found.push({ path: trail.join('.'), value });
    else for (const inner in value) visit(inner, (value as UnknownFields)[inner]);
    trail.pop();
  };
  for (const [name, value] of Object.entries(fields)) if (!CONTENTS.has(name)) visit(name, value);
  return found;
}

/** Returns the fields with maximum lengths of at most so many tokens, those in nested settings too. */
export function lowerLengths(fields: UnknownFields, tokens: number): UnknownFields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, lower(name, value, tokens)]));
}

function lower(name: string, value: unknown, tokens: number): unknown {
  if (CONTENTS.has(name) || value === null || value === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => lower('', item, tokens));
  if (isJsonObject(value)) return lowerLengths(value, tokens);
  if (!isLengthField(name)) return value;
  return typeof value === 'number' && value >= 0 ? Math.min(value, tokens) : tokens;
}
