import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChatRequestBody } from '../../../../../../src/core/models/chat-model.ts';
import { keepFields } from '../../../../../../src/core/models/providers/openai-compatible/chat-body.ts';

const WHOLE = { stream: undefined, stream_options: undefined };
const STREAM = { stream: true, stream_options: { include_usage: true } } as const;

const keep = (json: string, mode: Parameters<typeof keepFields>[2], model?: string) => {
  const body: ChatRequestBody = JSON.parse(json.replace(/^\uFEFF/, ''));
  return keepFields(Buffer.from(json), model === undefined ? body : { ...body, model }, mode)?.toString('utf8');
};

it.each([
  ['a whole answer', '{"model":"a","messages":[]}', WHOLE, '{"model":"a","messages":[]}'],
  ['one that is not to be streamed', '{ "model" : "a", "stream":false}', WHOLE, '{ "model" : "a", "stream":false}'],
  [
    'a stream that asks for usage',
    '{"model":"a","stream":true,"stream_options":{"include_usage":true}}',
    STREAM,
    '{"model":"a","stream":true,"stream_options":{"include_usage":true}}',
  ],
  [
    'a stream that does not, with that added',
    '{"messages":["\\"model\\""],"stream":true,"model":"a"}',
    STREAM,
    '{"stream_options":{"include_usage":true},"messages":["\\"model\\""],"stream":true,"model":"a"}',
  ],
])('the bytes of %s go on as they came', (_, json, mode, expected) => {
  expect(keep(json, mode)).toBe(expected);
});

it.each([
  ['the model has another name there', '{"model":"a"}', WHOLE, 'b'],
  ['a name begins like it', '{"model":"ab"}', WHOLE, 'a'],
  ['a field is said twice', '{"model":"b","model":"a"}', WHOLE],
  ['a field is said twice, once with escapes', '{"\\u006dodel":"b","model":"a"}', WHOLE],
  ['another name may be meant', '{"x":{"model":"b"},"model":"a"}', WHOLE],
  ['a stream is said twice', '{"model":"a","stream":true,"stream":false}', WHOLE],
  ['a stream is asked for in another way', '{"model":"a","stream":true}', WHOLE],
  ['a whole answer is asked for in another way', '{"model":"a","stream":false}', STREAM],
  ['a stream is neither', '{"model":"a","stream":null}', WHOLE],
  ['there are options of a stream', '{"model":"a","stream_options":{}}', WHOLE],
  ['usage is declined', '{"model":"a","stream":true,"stream_options":{"include_usage":false}}', STREAM],
  ['something stands before it', '\uFEFF{"model":"a"}', WHOLE],
])('where %s they are looked at one by one', (_, json, mode, model?) => {
  expect(keep(json, mode, model)).toBeUndefined();
});

it('what goes on says the same as the object with its fields replaced', () => {
  const values = fc.oneof(fc.constantFrom('model', '"model"', '\\"stream', 'a'), fc.jsonValue());
  const objects = fc.dictionary(fc.constantFrom('model', 'x', 'messages', '"model', 'stream"'), values);
  fc.assert(
    fc.property(objects, fc.constantFrom('a', 'model', 'ü"'), fc.boolean(), (given, model, isStream) => {
      const mode = isStream ? STREAM : WHOLE;
      const body = { ...given, model, messages: [], ...(isStream ? { stream: true } : {}) };
      const kept = keepFields(Buffer.from(JSON.stringify(body)), body, mode);
      if (kept) expect(JSON.parse(kept.toString('utf8'))).toEqual(JSON.parse(JSON.stringify({ ...body, ...mode })));
    }),
  );
});
