import type { JsonObject } from '../../../../lib/json.ts';
import type { ChatRequestBody } from '../../chat-model.ts';

/** The fields that say how the answer is to come. */
export interface Mode extends JsonObject {
  readonly stream: true | undefined;
  readonly stream_options: JsonObject | undefined;
}

const MODEL = '"model"';
/** Begins the names of both fields of the mode. */
const STREAM = '"stream';
/** Letters of a field's name may hide behind it. */
const ESCAPED_LETTER = '\\u00';

/**
 * The text of a request that says already what it is to say, or that only lacks `stream_options`: looking for what would be
 * replaced costs more than all the rest where the text is long.
 * @param json what `body` was parsed from, but for the name of the model.
 * @returns undefined where something has to be replaced, or where it is not sure from a glance that nothing has to be: fields that
 * stand there twice or are spelled with escapes.
 */
export function keepFields(json: Buffer, body: ChatRequestBody, mode: Mode): Buffer | undefined {
  const { stream, stream_options: options } = body;
  // A string is searched in a fraction of the time, and what is looked for is ASCII.
  const text = json.toString('latin1');
  if (!text.startsWith('{') || stream === null || (stream === true) !== (mode.stream === true)) return undefined;
  if (options !== undefined && !(mode.stream_options && asksForUsage(options))) return undefined;
  const streamNames = (stream === undefined ? 0 : 1) + (options === undefined ? 0 : 1);
  const isPlain =
    isOnlyModel(text, body.model) && standsThere(text, STREAM, streamNames) && !text.includes(ESCAPED_LETTER);
  if (!isPlain) return undefined;
  if (options !== undefined || mode.stream_options === undefined) return json;
  const added = Buffer.from(`{"stream_options":${JSON.stringify(mode.stream_options)},`);
  return Buffer.concat([added, json.subarray(1)]);
}

function asksForUsage(options: unknown): boolean {
  return typeof options === 'object' && options !== null && Reflect.get(options, 'include_usage') === true;
}

/** Whether `"model"` stands in the text once, and with this value: the object is known to have such a field, so it is that one. */
function isOnlyModel(text: string, model: string): boolean {
  const at = text.indexOf(MODEL);
  if (at < 0 || text.includes(MODEL, at + MODEL.length)) return false;
  COLON.lastIndex = at + MODEL.length;
  return COLON.test(text) && text.startsWith(JSON.stringify(model), COLON.lastIndex);
}

const COLON = /\s*:\s*/y;

/** Whether the word stands there exactly so often. */
function standsThere(text: string, word: string, count: number): boolean {
  let at = -1;
  for (let found = 0; found <= count; found++) {
    at = text.indexOf(word, at + 1);
    if (at < 0) return found === count;
  }
  return false;
}
