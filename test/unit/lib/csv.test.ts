import { expect, it } from 'vitest';
import { toCsv } from '../../../src/lib/formats/csv.ts';

it('CSV is read by spreadsheets as intended', () => {
  const table = toCsv(
    ['name', 'count'],
    [
      ['plain', 1],
      ['with, comma', 2.5],
      ['a "quote"\nand a line', undefined],
      ['Ёж', true],
    ],
  );
  expect(table).toBe('\uFEFFname,count\r\nplain,1\r\n"with, comma",2.5\r\n"a ""quote""\nand a line",\r\nЁж,true\r\n');
});

it.each(['=1+1', '+1', '-1', '@cmd', '\tx'])('CSV lets no spreadsheet evaluate %j', (text) => {
  expect(toCsv(['a'], [[text]])).toBe(`\uFEFFa\r\n'${text}\r\n`);
});

it.each([
  ['\u3000＝1+1', `'\u3000＝1+1`],
  ['\n=1', `"'\n'=1"`],
  ['a;=1+1;b', `a;'=1+1;b`],
  ['a;"=1+1;b', `"a;'""=1+1;b"`],
  ['a\t@b', `a\t'@b`],
  ['a-1;b=2', 'a-1;b=2'],
])('CSV has no formula in a spreadsheet with another separator: %j', (text, field) => {
  expect(toCsv(['a'], [[text]])).toBe(`\uFEFFa\r\n${field}\r\n`);
});

it('CSV leaves negative numbers unchanged', () => {
  expect(toCsv(['a'], [[-1]])).toBe('\uFEFFa\r\n-1\r\n');
});
