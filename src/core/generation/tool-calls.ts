import { isJsonObject, type JsonObject } from '../../lib/json.ts';

/** A call that a model has asked for. */
export interface ToolCall {
  /** The model's, or one that was made up where it gave none. */
  readonly id: string;
  readonly name: string;
  /** JSON as the model has written it; empty where it wrote nothing. */
  readonly written: string;
  /** As it goes back to the model: with fields that only its host knows (Gemini's signatures, say). */
  readonly wire: JsonObject;
}

/** Puts the calls of a streamed answer together. */
export interface ToolCallCollector {
  /** Takes the pieces of one chunk (`chat.completion.chunk`); other chunks are passed over. */
  add(chunk: JsonObject): void;
  /** The calls with a name, in the order in which they began. */
  list(): readonly ToolCall[];
}

interface Pending {
  readonly index: unknown;
  id: string;
  name: string;
  written: string;
  /** What a host adds beside `function`. */
  extra: JsonObject;
}

/** Further calls of one answer are a model that repeats itself. */
const MAX_CALLS = 64;
const MAX_WRITTEN_CHARACTERS = 200_000;

/**
 * Hosts differ: most send a call in pieces under an index, some whole, some without an index, some every call under index 0.
 * A piece with another id begins another call.
 */
export function createToolCallCollector(): ToolCallCollector {
  const calls: Pending[] = [];

  const findCall = (piece: JsonObject): Pending | undefined => {
    const id = typeof piece['id'] === 'string' ? piece['id'] : '';
    const index = piece['index'];
    const known = index === undefined ? calls.at(-1) : calls.findLast((call) => call.index === index);
    const isOther = known !== undefined && id !== '' && known.id !== '' && id !== known.id;
    const isNew = known === undefined || isOther || (index === undefined && id === '' && nameOf(piece) !== '');
    if (!isNew) return known;
    if (calls.length >= MAX_CALLS) return undefined;
    const call: Pending = { index, id, name: '', written: '', extra: {} };
    calls.push(call);
    return call;
  };

  return {
    add(chunk) {
      for (const piece of readPieces(chunk)) {
        const call = findCall(piece);
        if (!call) continue;
        const { id, index: _index, type: _type, function: called, ...extra } = piece;
        if (typeof id === 'string' && id !== '') call.id = id;
        Object.assign(call.extra, extra);
        // A name comes whole; hosts that send it again with every piece mean the same one.
        if (call.name === '') call.name = nameOf(piece);
        if (isJsonObject(called)) call.written += toWritten(called['arguments']);
        if (call.written.length > MAX_WRITTEN_CHARACTERS) call.written = call.written.slice(0, MAX_WRITTEN_CHARACTERS);
      }
    },
    list: () =>
      calls
        .filter(({ name }) => name !== '')
        .map((call, at) => {
          const { name, written, extra } = call;
          const id = call.id === '' ? `call_${at + 1}` : call.id;
          // Hosts parse it again, and refuse the whole request where it is no JSON.
          const safe = isJson(written) ? written : '{}';
          return { id, name, written, wire: { ...extra, id, type: 'function', function: { name, arguments: safe } } };
        }),
  };
}

function readPieces(chunk: JsonObject): readonly JsonObject[] {
  const choice = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined;
  const delta = isJsonObject(choice) ? choice['delta'] : undefined;
  const pieces = isJsonObject(delta) ? delta['tool_calls'] : undefined;
  return Array.isArray(pieces) ? pieces.filter(isJsonObject) : [];
}

function nameOf(piece: JsonObject): string {
  const called = piece['function'];
  const name = isJsonObject(called) ? called['name'] : undefined;
  return typeof name === 'string' ? name : '';
}

function toWritten(value: unknown): string {
  if (typeof value === 'string') return value;
  return isJsonObject(value) ? JSON.stringify(value) : '';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
