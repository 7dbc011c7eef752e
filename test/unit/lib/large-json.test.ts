import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonBody } from '../../../src/http/server/bodies/json-body.ts';
import { countCharacters, LARGE_JSON, printJson, printJsonInParts } from '../../../src/lib/json/large-json.ts';
import { measureBestRun } from '../../support/machine/measure.ts';

const SMALL = { texts: ['a "quoted" text', 'ж\n'], number: -0.5, none: null };
const LARGE = { ...SMALL, long: '"ж\u{1f600}\ud800'.repeat(LARGE_JSON / 4) };

/** Returns the turn of the event loop in which each work ended. */
async function findTurns(works: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  let turn = 0;
  let isOver = false;
  const next = () => {
    turn += 1;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  const ends = await Promise.all(works.map((work) => work().then(() => turn)));
  isOver = true;
  return ends;
}

describe('JSON', () => {
  it.each([
    ['small', SMALL],
    ['large', LARGE],
  ])('that is %s is printed like JSON.stringify', async (_, value) => {
    expect(String(await printJson(value)) === Buffer.from(JSON.stringify(value)).toString()).toBe(true);
  });

  it.each([
    ['small', SMALL],
    ['large', LARGE],
  ])('that is %s is parsed', async (_, value) => {
    expect(await parseJsonBody(Buffer.from(JSON.stringify(value)))).toEqual(JSON.parse(JSON.stringify(value)));
  });

  it('that is small needs no turn of the event loop', async () => {
    const body = Buffer.from(JSON.stringify(SMALL));
    const ends = await findTurns([() => parseJsonBody(body), () => printJson(SMALL)]);
    expect(ends).toEqual([0, 0]);
  });

  it('that is large is handled in several turns, none of which two callers share', async () => {
    const body = Buffer.from(JSON.stringify(LARGE));
    const ends = await findTurns([
      () => parseJsonBody(body),
      () => printJson(LARGE),
      () => parseJsonBody(body),
      () => printJson(LARGE),
    ]);
    expect(Math.min(...ends)).toBeGreaterThan(1);
    expect(new Set(ends).size).toBe(ends.length);
  });
});

it('that is large is printed in the same way, whatever its names and members are', async () => {
  const long = 'x"\n'.repeat(LARGE_JSON / 2);
  const value = JSON.parse(
    `{"__proto__":${JSON.stringify(long)},"a":[{"__proto__":[1]},${JSON.stringify(long)},null]}`,
  );
  for (const each of [value, { ...value, at: new Date(0), none: undefined, list: [undefined, long] }, [long, [long]]])
    expect(String(await printJson(each)) === JSON.stringify(each)).toBe(true);
});

it('no text holds the thread while it is printed', async () => {
  const values = [{ a: ['\0'.repeat(10_000_000)] }, Array.from({ length: 200 }, () => '\0'.repeat(50_000))];
  const print = async () => {
    for (const value of values) await printJson(value);
  };
  // The collector of garbage takes its share of the time, too.
  expect(await measureBestRun(print, 100)).toBeLessThan(100);
});

it('printed in parts is the same, also where a part ends within a character', () => {
  const long = ['a"\n\u0001', 'ж😀', '😀', '\ud800'].map((unit) => `x${unit.repeat(100_000)}`);
  for (const value of [SMALL, LARGE, { long, again: { first: long[0], name: '' } }, long]) {
    const parts = [...printJsonInParts(value)];
    const isSame = JSON.stringify(JSON.parse(parts.join(''))) === JSON.stringify(value);
    expect(isSame).toBe(true);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(500_000);
  }
});

it('many small values are printed in parts, too', () => {
  const token = (at: number) => ({ token: `t${at}`, logprob: -0.5, bytes: [at, 1], top: [{ token: 'a' }, undefined] });
  const tokens = Array.from({ length: 20_000 }, (_, at) => token(at));
  const none = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`name${at}`, undefined]));
  for (const value of [tokens, { tokens, none: [] }, [[tokens], {}, tokens], { none }, { none, ...none, a: 1 }]) {
    const parts = [...printJsonInParts(value)];
    expect(parts.join('') === JSON.stringify(value)).toBe(true);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(500_000);
  }
});

it('the counted characters are never more than those of the JSON text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(countCharacters(value)).toBeLessThanOrEqual(JSON.stringify(value).length);
      for (const enough of [1, 5, 20]) {
        const isEnough = countCharacters(value, enough) >= enough;
        expect(isEnough).toBe(countCharacters(value) >= enough);
      }
    }),
  );
});
