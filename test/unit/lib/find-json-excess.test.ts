import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonExcess, type JsonLimits, JsonMeter } from '../../../src/lib/json/find-json-excess.ts';
import { countInputs } from '../../support/vitest/tiers.ts';

/** Strings with many quotes, escapes and brackets, some of them long. */
const text = fc
  .tuple(
    fc.string({ unit: fc.constantFrom('"', '\\', '{', ']', ':', ',', 'a', 'ж', '\n', '\u0000') }),
    fc.constantFrom(1, 20, 200),
  )
  .map(([unit, count]) => unit.repeat(count));
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, tie('value'), { maxKeys: 5 }),
  ),
})).value;

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
const valuesOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, member) => sum + valuesOf(member), 1)
    : 1;

/** Returns the number of names of the largest object. */
const namesOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Math.max(Array.isArray(value) ? 0 : Object.keys(value).length, ...Object.values(value).map(namesOf))
    : 0;

describe('the limits of a JSON text', () => {
  it('find the same depth as parsing, and at least as many values', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(0, 1, '\t'), (value, indent) => {
        const bytes = Buffer.from(JSON.stringify(value, undefined, indent));
        const meter = (limits: JsonLimits) => {
          const reader = new JsonMeter(limits, false);
          return (
            [...bytes].map((byte) => reader.add(Buffer.of(byte))).find(Boolean) ?? reader.add(bytes.subarray(0, 0))
          );
        };
        const depth = depthOf(value);
        expect(findJsonExcess(bytes, { depth, values: Number.POSITIVE_INFINITY })).toBeUndefined();
        if (depth > 0) expect(findJsonExcess(bytes, { depth: depth - 1, values: 1e9 })).toBe('depth');
        const values = valuesOf(value);
        const names = namesOf(value);
        expect(findJsonExcess(bytes, { depth, values: 1e9, names })).toBeUndefined();
        if (names > 0) expect(findJsonExcess(bytes, { depth, values: 1e9, names: names - 1 })).toBe('names');
        expect(meter({ depth, values: 1e9, names })).toBeUndefined();
        if (depth > 0) expect(meter({ depth: depth - 1, values: 1e9 })).toBe('depth');
        if (names > 0) expect(meter({ depth, values: 1e9, names: names - 1 })).toBe('names');
        if (values > 1) expect(meter({ depth, values: values - 1 })).toBe('values');
        if (values > 1) expect(findJsonExcess(bytes, { depth, values: values - 1 })).toBe('values');
      }),
      { numRuns: countInputs(300), seed: 1 },
    );
  });

  it('are those of each server-sent event', () => {
    const meter = new JsonMeter({ depth: 3, values: 5 }, true);
    const event = 'event: message\ndata: {"a":[1,"}\\""]}\r\n\r\n';
    for (let count = 0; count < 100; count += 1) expect(meter.add(Buffer.from(event))).toBeUndefined();
    expect(meter.add(Buffer.from('data: "a\ndata: [1,2,3,4,5,6]'))).toBeUndefined();
    expect(meter.add(Buffer.from('\n\ndata: [1,2,3,4,5,6]'))).toBe('values');
  });

  it.each([
    ['a string without an end', '"aaa[[[[,,,,'],
    ['quotes with escapes', '"\\"[[[[\\\\\\",,,,"'],
  ])('ignore the content of strings: %s', (_name, text) => {
    expect(findJsonExcess(Buffer.from(text), { depth: 0, values: 1 })).toBeUndefined();
  });
});
