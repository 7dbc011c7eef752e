import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findLongText, parseJsonText, restoreLongStrings, toJsonText } from '../../../src/lib/json-outline.ts';
import { replaceFields } from '../../../src/lib/json-text.ts';

const LONG = 70_000;
const long = (text: string) => text.repeat(Math.ceil(LONG / text.length));

/** What can be looked at of it, read by now. */
const read = (value: unknown) => JSON.parse(JSON.stringify(value));
const toOutcome = (parse: () => unknown) => {
  try {
    return { value: read(parse()) };
  } catch (error) {
    return { error: String(error) };
  }
};

describe('a text with long strings', () => {
  const body = {
    model: 'm',
    messages: [{ role: 'user', content: long('"Wörter" \\ \n🗝') }, { ['n'.repeat(20_000)]: 1 }],
  };
  const text = toJsonText(Buffer.from(JSON.stringify(body)));

  it('says what it said, though its outline is short', () => {
    const value = parseJsonText(text);
    expect(text.outline.length).toBeLessThan(30_000);
    expect(value).toEqual(body);
    expect({ ...(value as object) }).toEqual(body);
    expect(read(value)).toEqual(body);
  });

  it('has them back where its outline has changed', () => {
    const changed = replaceFields(text.outline, { model: 'other' });
    expect(JSON.parse(restoreLongStrings(changed ?? Buffer.of(), text).toString())).toEqual({
      ...body,
      model: 'other',
    });
    const without = replaceFields(text.outline, { messages: undefined });
    expect(restoreLongStrings(without ?? Buffer.of(), text).toString()).toBe('{"model":"m"}');
  });

  it.each([
    ['escapes', '\\u0416\\ud83d\\udddd\\n'],
    ['bytes of characters', 'Ж🗝'],
    ['plain letters', 'a'],
  ])('tells how one of %s begins, and how much longer it is', (_what, spelling) => {
    const json = Buffer.from(`{"text":"${long(spelling)}","short":"a","n":1}`);
    const value = parseJsonText(toJsonText(json)) as { readonly text: string };
    const found = findLongText(value, 'text');
    const length = (found?.beginning.length ?? 0) * (found?.ratio ?? 0);
    expect(value.text.startsWith(found?.beginning.slice(0, -2) ?? 'nothing')).toBe(true);
    expect(length / value.text.length).toBeCloseTo(1, 2);
    expect([findLongText(value, 'short'), findLongText(value, 'n')]).toEqual([undefined, undefined]);
  });
});

/** Stands for so many letters, so that what goes wrong can be shown. */
const LONG_MARK = '☃';
const wrongOrNot = fc.constantFrom(
  ...[
    '\\n',
    '\\"',
    '\\\\',
    '\\u00e4',
    '\\uD83D',
    '\\u12g4',
    '\\x',
    '\\',
    '"',
    '\n',
    '\u0000',
    ' ',
    ':',
    ',',
    '{',
    ']',
    'ü',
    '🗝',
  ],
);
const text = fc
  .array(fc.oneof(wrongOrNot, fc.constant(LONG_MARK), fc.string()), { maxLength: 3 })
  .map((of) => of.join(''));
const { value: document } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(text, fc.constant(LONG_MARK), fc.integer(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom('__proto__', 'a', 'b'), text), tie('value'), { maxKeys: 3 }),
  ),
}));
const insertions = fc.array(fc.tuple(fc.nat(), fc.oneof(wrongOrNot, fc.constant(`"${LONG_MARK}"`))), { maxLength: 2 });

it('texts are read as by any other parser, and refused with the same words', () => {
  fc.assert(
    fc.property(document, fc.constantFrom(0, 1), insertions, (content, indent, inserted) => {
      const short = inserted.reduce(
        (json, [at, piece]) => {
          const place = at % (json.length + 1);
          return json.slice(0, place) + piece + json.slice(place);
        },
        JSON.stringify(content, null, indent),
      );
      const bytes = Buffer.from(short.replaceAll(LONG_MARK, 'a'.repeat(LONG)));
      const known = toOutcome(() => JSON.parse(bytes.toString()));
      const outcome = toOutcome(() => parseJsonText(toJsonText(bytes)));
      // An assertion would print all the letters.
      if (!isDeepStrictEqual(outcome, known)) throw new Error('it is read in another way');
    }),
    { numRuns: 500 },
  );
});
