import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { listParameters } from '../../src/bot/answers/permission.ts';
import { locales } from '../../src/bot/texts/locales.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';

const list = (parameters: JsonObject) => listParameters(locales.en, parameters);

function listValues(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listValues) : [value];
}

describe('the parameters of a call in words', () => {
  test.each([
    [{ to: 'Ann', isUrgent: true }, ['to: Ann', 'is urgent: yes']],
    [
      { options: { max_size: 3, tags: ['a', 'b'] } },
      ['options, max size: 3', 'options, tags, 1: a', 'options, tags, 2: b'],
    ],
    [{ tags: ['a'], none: [], unset: null }, ['tags: a', 'none: nothing', 'unset: nothing']],
    [{ '': 'hidden?' }, [': hidden?']],
    [{}, []],
  ])('of %j are %j', (parameters, lines) => expect(list(parameters)).toEqual(lines));

  it('leave nothing out', () => {
    const value = fc.oneof({ depthSize: 'small' }, fc.stringMatching(/^v[0-9]{1,6}$/), fc.integer());
    const { object } = fc.letrec<{ object: JsonObject; any: unknown }>((tie) => ({
      object: fc.dictionary(fc.string(), tie('any'), { maxKeys: 5 }),
      any: fc.oneof({ depthSize: 'small' }, value, tie('object'), fc.array(tie('any'), { maxLength: 3 })),
    }));
    fc.assert(
      fc.property(object, (parameters) => {
        const shown = list(parameters).map((line) => line.slice(line.lastIndexOf(': ') + 2));
        for (const one of listValues(parameters)) expect(shown).toContain(String(one));
      }),
    );
  });
});
