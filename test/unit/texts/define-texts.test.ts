import { expect, test } from 'vitest';
import { defineTexts } from '../../../src/texts/define-texts.ts';

test('gives functions of all languages the parameters of the English ones', () => {
  const texts = defineTexts({
    en: { waiting: (count: number) => `${count.toFixed()} waiting` },
    ru: { waiting: (count) => `ожидают ${count.toFixed()}` },
  });
  expect(texts.ru.waiting(2)).toBe('ожидают 2');
});

// `tsc` reports a directive below that no error follows.
test('the compiler asks for each text and each language', () => {
  const texts = [
    // @ts-expect-error Russian is missing.
    defineTexts({ en: { yes: 'Yes' } }),
    // @ts-expect-error One text is missing in Russian.
    defineTexts({ en: { yes: 'Yes', no: 'No' }, ru: { yes: 'Да' } }),
    // @ts-expect-error A nested text is missing in Russian.
    defineTexts({ en: { answers: { yes: 'Yes', no: 'No' } }, ru: { answers: { yes: 'Да' } } }),
    // @ts-expect-error Russian has a text that English does not have.
    defineTexts({ en: { yes: 'Yes' }, ru: { yes: 'Да', no: 'Нет' } }),
    // @ts-expect-error The Russian text takes another parameter.
    defineTexts({ en: { count: (count: number) => `${count}` }, ru: { count: (count: string) => count } }),
  ];
  expect(texts).toHaveLength(5);
});
