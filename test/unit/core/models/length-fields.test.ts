import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isLengthField, listLengths, lowerLengths } from '../../../../src/core/models/index.ts';

const NAMES = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'max_new_tokens', 'n_predict'];

/** Other spellings of a name that some host reads in the same way. */
const spelling = fc
  .tuple(fc.constantFrom(...NAMES), fc.constantFrom('_', '-', ''), fc.infiniteStream(fc.boolean()))
  .map(([name, separator, isUpper]) =>
    [...name.replaceAll('_', separator)]
      .map((letter) => (isUpper.next().value ? letter.toUpperCase() : letter))
      .join(''),
  );
const settings = fc.letrec<{ fields: { readonly [field: string]: unknown } }>((tie) => ({
  fields: fc.dictionary(
    fc.oneof(spelling, fc.constantFrom('extra_body', 'options', 'generationConfig', 'a', 'messages', 'metadata')),
    fc.oneof({ depthSize: 'small' }, fc.nat(), fc.constant(null), fc.string(), tie('fields'), fc.array(tie('fields'))),
    { maxKeys: 6 },
  ),
})).fields;

describe('the maximum length of an answer', () => {
  test('has many spellings', () => {
    fc.assert(fc.property(spelling, (name) => isLengthField(name) && isLengthField(name.replaceAll('s', 'ſ'))));
  });

  const checkLowered = (fields: { readonly [field: string]: unknown }, most: number) => {
    const before = listLengths(fields);
    const lowered = lowerLengths(fields, most);
    const after = listLengths(lowered);
    expect(after.map(({ path }) => path)).toEqual(before.map(({ path }) => path));
    for (const { value } of after) expect(value).toBeLessThanOrEqual(most);
    expect(lowerLengths(lowered, most)).toEqual(lowered);
    if (before.every(({ value }) => typeof value === 'number' && value <= most)) expect(lowered).toEqual(fields);
  };

  test('is at most the given one everywhere, and nothing else changes', () => {
    fc.assert(fc.property(settings, fc.nat(1000), checkLowered));
  });

  test.each(['max_prompt_tokens', 'max_input_tokens', 'max_tokens_per_minute', 'temperature', 'n', ''])(
    'is not %j',
    (name) => expect(isLengthField(name)).toBe(false),
  );

  test.each(['maxgenerationlengt', 'max\u017f', '____', 'k'])('is sought fast among many names like %j', (prefix) => {
    const options = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`${prefix}${index}`, 1]));
    const startedAt = process.threadCpuUsage();
    expect(listLengths({ options })).toEqual([]);
    const used = process.threadCpuUsage(startedAt);
    expect((used.user + used.system) / 1000).toBeLessThan(250);
  });
});
