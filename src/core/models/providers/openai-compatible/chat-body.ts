import type { JsonObject } from '../../../../lib/json.ts';
import type { ChatRequestBody } from '../../chat-model.ts';

/** The fields that say how the answer is to come. */
export interface Mode extends JsonObject {
  readonly stream: true | undefined;
  readonly stream_options: JsonObject | undefined;
}

const BRACE = 0x7b;
const MODEL = Buffer.from('"model"');
/** Begins the names of both fields of the mode. */
const STREAM = Buffer.from('"stream');
/** Letters of a field's name may hide behind it. */
const ESCAPED_LETTER = Buffer.from('\\u00');

/**
 * The text of a request that says already what it is to say, or that only lacks `stream_options`: looking for what would be
 * replaced costs more than all the rest where the text is long.
 * @param json what `body` was parsed from, but for the name of the model.
 * @returns undefined where something has to be replaced, or where it is not sure from a glance that nothing has to be: fields that
 * stand there twice or are spelled with escapes.
 */
export function keepFields(json: Buffer, body: ChatRequestBody, mode: Mode): Buffer | undefined {
  const { stream, stream_options: options } = body;
  if (json[0] !== BRACE || stream === null || (stream === true) !== (mode.stream === true)) return undefined;
  if (options !== undefined && !(mode.stream_options && asksForUsage(options))) return undefined;
  const streamNames = (stream === undefined ? 0 : 1) + (options === undefined ? 0 : 1);
  const isPlain =
    isOnlyModel(json, body.model) && standsThere(json, STREAM, streamNames) && json.indexOf(ESCAPED_LETTER) < 0;
  if (!isPlain) return undefined;
  if (options !== undefined || mode.stream_options === undefined) return json;
  const added = Buffer.from(`{"stream_options":${JSON.stringify(mode.stream_options)},`);
  return Buffer.concat([added, json.subarray(1)]);
}

function asksForUsage(options: unknown): boolean {
  return typeof options === 'object' && options !== null && Reflect.get(options, 'include_usage') === true;
}

/** Whether `"model"` stands in the text once, and with this value: the object is known to have such a field, so it is that one. */
function isOnlyModel(json: Buffer, model: string): boolean {
  const at = json.indexOf(MODEL);
  if (at < 0 || json.indexOf(MODEL, at + MODEL.length) >= 0) return false;
  const value = JSON.stringify(model);
  const behind = json.toString('utf8', at + MODEL.length, at + MODEL.length + Buffer.byteLength(value) + MAX_SPACE);
  const colon = /^\s*:\s*/.exec(behind)?.[0];
  return colon !== undefined && behind.startsWith(value, colon.length);
}

/** Between a name and its value; whoever has more is read the long way. */
const MAX_SPACE = 8;

/** Whether the bytes stand there exactly so often. */
function standsThere(json: Buffer, bytes: Buffer, count: number): boolean {
  let at = -1;
  for (let found = 0; found <= count; found++) {
    at = json.indexOf(bytes, at + 1);
    if (at < 0) return found === count;
  }
  return false;
}
