import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replaceFields } from '../../../src/lib/json-text.ts';

const replace = (json: string, fields: Record<string, unknown>) =>
  replaceFields(Buffer.from(json), fields)?.toString('utf8');

describe('fields replaced in the text of an object', () => {
  it.each([
    ['in front', '{"model":"a","messages":[1]}', '{"model":"b","messages":[1]}'],
    ['behind', '{"messages":[1],"model":"a"}', '{"model":"b","messages":[1]}'],
    ['missing', '{ "messages" : [ 1 ] }', '{"model":"b","messages" : [ 1 ] }'],
    ['alone', '{"model":"a"}', '{"model":"b"}'],
    ['in an empty object', ' { } ', '{"model":"b"}'],
    ['said twice', '{"model":"a","n":1,"model":"c"}', '{"model":"b","n":1}'],
    ['also deeper inside', '{"x":{"model":"a"},"y":["model"]}', '{"model":"b","x":{"model":"a"},"y":["model"]}'],
    ['with look-alikes in strings', '{"x":"\\"model\\":{[,}","model":"a\\\\"}', '{"model":"b","x":"\\"model\\":{[,}"}'],
    [
      'beside numbers that no parser could keep',
      '{"seed":12345678901234567890}',
      '{"model":"b","seed":12345678901234567890}',
    ],
  ])('%s', (_, json, expected) => {
    expect(replace(json, { model: 'b' })).toBe(expected);
  });

  it('are left out where they are undefined', () => {
    expect(replace('{"stream":true,"a":1,"stream_options":{}}', { stream: undefined, stream_options: undefined })).toBe(
      '{"a":1}',
    );
  });

  it('are not replaced where a name is spelled with escapes', () => {
    expect(replace('{"mod\\u0065l":"a"}', { model: 'b' })).toBeUndefined();
  });

  it('say the same as the object printed anew', () => {
    const names = fc.constantFrom('model', 'stream', 'messages', 'ü', 'n');
    const objects = fc.dictionary(fc.oneof(names, fc.stringMatching(/^[^"\\\p{Cc}]*$/u)), fc.jsonValue());
    const given = fc.record({ model: fc.string(), stream: fc.option(fc.boolean(), { nil: undefined }) });
    fc.assert(
      fc.property(objects, given, fc.constantFrom(0, 2), (object, fields, indent) => {
        const replaced = JSON.parse(replace(JSON.stringify(object, null, indent), fields) ?? '');
        expect(replaced).toEqual(JSON.parse(JSON.stringify({ ...object, ...fields })));
      }),
    );
  });
});
