import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/lib/json/json.ts';
import { JSON_LIMITS, readJson, readJsonOrProblem, readSmallJson } from '../../../src/lib/json/read-json.ts';
import { countInputs } from '../../support/vitest/tiers.ts';

/** Parses with `readJson` and with `JSON.parse`. */
async function expectSame(text: string) {
  const expected = parseJson(text.replace(/^\uFEFF/, ''));
  const read = await readJsonOrProblem(Buffer.from(text));
  if (expected === undefined) expect(read).toEqual({ problem: 'invalid' });
  else if ('problem' in read) expect.unreachable(`${read.problem}: ${text.slice(0, 100)}`);
  else expect(JSON.stringify(read.value)).toBe(JSON.stringify(expected));
}

const ESCAPES = ['\\', '"', '\\"', '\\\\', '\u0000', 'ж', '€', '😀', '\ud83d', 'u', 'u12', '/', 'a', ' '];
const text = fc
  .tuple(
    fc.array(fc.constantFrom(...ESCAPES), { minLength: 1, maxLength: 8 }),
    fc.constantFrom(1, 1, 3, 1000, 150_000, 300_000),
  )
  .map(([units, count]) => units.join('').repeat(count).slice(0, 1_300_000));
const name = fc.constantFrom('a', 'b', '__proto__', '0', 'constructor', '"', 'ж'.repeat(300));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    { weight: 2, arbitrary: fc.constantFrom(null, true, -1.5e-7, '', 'x') },
    { weight: 1, arbitrary: text },
    { weight: 3, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    {
      weight: 3,
      arbitrary: fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((members) => {
        const object = {};
        for (const [key, member] of members)
          Object.defineProperty(object, key, { value: member, enumerable: true, configurable: true });
        return object;
      }),
    },
    // More values than a step.
    fc.integer({ min: 0, max: 5000 }).map((count) => Array.from({ length: count }, (_, at) => ({ [`k${at}`]: [at] }))),
    fc
      .integer({ min: 0, max: 5000 })
      .map((count) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]))),
  ),
}));

describe('reading JSON in steps', () => {
  it('gives the same as JSON.parse', async () => {
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom(0, 1, '\t'), fc.boolean(), (whole, indent, isEscaped) => {
        const json = JSON.stringify(whole, undefined, indent);
        const toEscape = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
        return expectSame(isEscaped ? json.replace(/[^ -~]/g, toEscape) : json);
      }),
      { numRuns: 60 },
    );
  });

  it('refuses what JSON.parse refuses', async () => {
    const large = JSON.stringify(Array.from({ length: 4000 }, (_, at) => ({ [`k${at}`]: at })));
    const long = JSON.stringify('x'.repeat(1_500_000));
    const samples = [large, long, `{"a":${large},"b":${long}}`, `[${large},${large},[],{}]`];
    const position = fc.oneof(
      fc.nat(),
      fc.nat(40),
      fc.nat(40).map((at) => -at),
    );
    const mark = fc.constantFrom(
      ',',
      ':',
      ']',
      '[',
      '}',
      '{',
      '"',
      '\\',
      ' ',
      '1',
      '\u00a0',
      'x',
      '',
      ',,',
      '[]',
      '{}',
      '""',
    );
    const change = fc.tuple(fc.constantFrom(...samples), position, fc.nat(2), mark);
    await fc.assert(
      fc.asyncProperty(change, ([sample, at, removed, added]) => {
        const start = at < 0 ? sample.length + at : at % sample.length;
        return expectSame(sample.slice(0, start) + added + sample.slice(start + removed));
      }),
      { numRuns: countInputs(200) },
    );
  });

  it.each([
    ['', ' ', 'nul', '[1,]', '{"a":1,}', '[,1]', '{"a"}', '[1}', ']', '{]', '1 2', '"', '"\\', '\uFEFF{}', '1', '"a"'],
  ])('treats small texts as JSON.parse does', async (...texts) => {
    for (const text of texts) {
      await expectSame(text);
      await expectSame(text + ' '.repeat(20_000));
    }
  });

  it.each([
    ['names in one object', `{${Array.from({ length: 49_000 }, (_, at) => `"k${at}":0`)}}`, 'names'],
    ['empty objects', `[${'{},'.repeat(4_000_000)}{}]`, 'values'],
    ['levels', '['.repeat(200_000), 'depth'],
  ])('refuses too many %s', async (_name, json, problem) => {
    expect(await readJsonOrProblem(Buffer.from(json))).toEqual({ problem });
    expect((await readJson(Buffer.from(json))) === undefined).toBe(true);
    expect(readSmallJson(json) === undefined).toBe(true);
  });

  it.each([
    ['a number', `[${'1'.repeat(13_000_000)}]`],
    ['a name', `{"${'a'.repeat(3_000_000)}":1}`],
    ['white space', `${' '.repeat(13_000_000)}1`],
  ])('refuses %s that is too long', async (_name, json) => {
    expect(await readJsonOrProblem(Buffer.from(json))).toHaveProperty('problem');
  });
});

it('stops early at bytes that are no JSON', async () => {
  const json = Buffer.alloc(8_000_000, 0xff);
  let turns = 0;
  const count = () => {
    turns += 1;
    if (turns < 100) setImmediate(count);
  };
  setImmediate(count);
  expect(await readJsonOrProblem(json)).toEqual({ problem: 'invalid' });
  expect(turns).toBeLessThan(5);
  turns = 100;
});

it('reads no text at once that is longer than 1 MiB', () => {
  expect(readSmallJson(JSON.stringify('x'.repeat(1_000_000)))).toHaveLength(1_000_000);
  expect(readSmallJson(JSON.stringify('x'.repeat(1_100_000)))).toBeUndefined();
});

describe('no text holds the thread', () => {
  const many = (count: number, toText: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => toText(at)).join();
  const texts: readonly (readonly [string, () => string])[] = [
    ['objects with a name each', () => `[${many(200_000, (at) => `{"k${at}":1}`)}]`],
    ['objects with 5000 names', () => `[${many(40, (at) => `{${many(5000, (name) => `"k${at}x${name}":1`)}}`)}]`],
    ['lists in each other', () => `${'['.repeat(100)}${many(400_000, () => '1')}${']'.repeat(100)}`],
    ['long lists at each level', () => `${`[${many(1999, () => '{}')},`.repeat(100)}0${']'.repeat(100)}`],
    ['escapes', () => `["${'\\n\\u0041'.repeat(4_000_000)}"]`],
    ['quotes', () => `["${'\\"'.repeat(8_000_000)}"]`],
    ['backslashes', () => `["x${'\\\\'.repeat(8_000_000)}"]`],
    ['letters', () => `{"a":"${'ж'.repeat(8_000_000)}"}`],
    ['white space', () => `[${'1,        \n'.repeat(300_000)}1]`],
    ['nothing but white space', () => ' '.repeat(16_000_000)],
    ['empty strings in a row', () => '""'.repeat(16_000_000)],
    ['strings and words in a row', () => `[${'"a" true '.repeat(4_000_000)}]`],
  ];

  it.each(texts)('%s', async (_name, toText) => {
    const json = Buffer.from(toText());
    let longestMs = 0;
    let before = process.threadCpuUsage();
    const look = () => {
      const { user, system } = process.threadCpuUsage(before);
      longestMs = Math.max(longestMs, (user + system) / 1000);
      before = process.threadCpuUsage();
      if (isReading) setImmediate(look);
    };
    let isReading = true;
    setImmediate(look);
    before = process.threadCpuUsage();
    await readJson(json, { ...JSON_LIMITS, values: 1_000_000 });
    isReading = false;
    look();
    // The collector of garbage takes its share of the time, too.
    expect(longestMs).toBeLessThan(100);
  });
});
