import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countJson, countParsed, findRepeatedField } from '../../../src/lib/json-scan.ts';

const NO_LIMITS = {
  depth: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
  bytes: Number.POSITIVE_INFINITY,
  fieldsOfOne: Number.POSITIVE_INFINITY,
};
const MAX_BYTES = 20 * 1024 * 1024;

/** Strings in which quotes, escapes and brackets are frequent, some of them long. */
const text = fc
  .tuple(
    fc.string({ unit: fc.constantFrom('"', '\\', '{', ']', ':', ',', 'a', 'ж', '\n', '\u0000') }),
    fc.constantFrom(1, 20),
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

describe('counting the structure of a JSON text', () => {
  it('finds the depth and the fields that parsing finds, and no fewer values', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(0, 1, '\t'), (value, indent) => {
        const bytes = Buffer.from(JSON.stringify(value, undefined, indent));
        const counts = countJson(bytes, NO_LIMITS);
        expect(counts.depth).toBe(depthOf(value));
        expect(counts.fields).toBe(countParsed(JSON.parse(bytes.toString())).fields);
        expect(counts.values + 1).toBeGreaterThanOrEqual(valuesOf(value));
        expect(findRepeatedField(bytes)).toBeUndefined();
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it('finds a repeated field wherever it is, however it is spelled', () => {
    fc.assert(
      fc.property(text, json, json, fc.boolean(), (name, one, other, isEscaped) => {
        const escaped = [...name].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
        const again = isEscaped ? `"${escaped}"` : JSON.stringify(name);
        const bytes = Buffer.from(
          `[{"x":{${JSON.stringify(name)}:${JSON.stringify(one)} , ${again} : ${JSON.stringify(other)}}}]`,
        );
        expect(findRepeatedField(bytes)).toBe(name);
        const lost = 1 + countParsed(one).fields;
        expect(countJson(bytes, NO_LIMITS).fields).toBe(countParsed(JSON.parse(bytes.toString())).fields + lost);
      }),
      { numRuns: 200, seed: 1 },
    );
  });

  it('names the field of a number beyond doubles', () => {
    expect(countParsed(JSON.parse('{"a":[1,{"b":[2,1e999]}]}')).infinite).toBe('b');
    expect(countParsed(JSON.parse('[1e308,-1e308,1e-999]')).infinite).toBeUndefined();
  });

  it.each([
    ['quotes with escapes', (bytes: number) => `"${'\\"'.repeat(bytes / 2)}"`],
    ['backslashes', (bytes: number) => `"${'\\\\'.repeat(bytes / 2)}"`],
    ['a string without an end', (bytes: number) => `"${'a'.repeat(bytes)}`],
    ['many strings', (bytes: number) => `[${'"aaaaaaaaaa",'.repeat(bytes / 13)}1]`],
    ['strings that end in a backslash', (bytes: number) => `[${`"${'a'.repeat(100)}\\\\",`.repeat(bytes / 105)}1]`],
    ['brackets', (bytes: number) => '['.repeat(bytes)],
    ['spaces', (bytes: number) => ' '.repeat(bytes)],
  ])('takes a time in proportion to the length, for %s', (_what, make) => {
    const bytes = Buffer.from(make(MAX_BYTES));
    const startedAt = process.threadCpuUsage();
    countJson(bytes, NO_LIMITS);
    const { user, system } = process.threadCpuUsage(startedAt);
    // About 20 to 100 ms; a quadratic search takes hours.
    expect((user + system) / 1000).toBeLessThan(2000);
  });

  it('stops at the first limit', () => {
    const counts = countJson(Buffer.from(`[${'{},'.repeat(1000)}1]`), { ...NO_LIMITS, values: 10 });
    expect(counts.values).toBe(11);
    expect(countJson(Buffer.from('['.repeat(1000)), { ...NO_LIMITS, depth: 5 }).depth).toBe(6);
    const objects = Buffer.from('[{"a":1,"b":{"c":1}},{"d":1,"e":1}]');
    expect(countJson(objects, NO_LIMITS).fieldsOfOne).toBe(2);
    expect(countJson(objects, { ...NO_LIMITS, fieldsOfOne: 1 })).toMatchObject({ fieldsOfOne: 2, fields: 2 });
    expect(countJson(Buffer.from(' '.repeat(1000)), { ...NO_LIMITS, bytes: 5 }).bytes).toBe(6);
  });
});
