import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanName } from '../../../../src/core/storage/upload/clean-name.ts';
import { countInputs } from '../../../support/vitest/tiers.ts';

describe('cleanName', () => {
  it.each([
    ['report.pdf', 'report.pdf'],
    ['Отчёт за 2026 год.docx', 'Отчёт за 2026 год.docx'],
    ['👩‍👩‍👧.png', '👩‍👩‍👧.png'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\photo.jpg', 'photo.jpg'],
    ['folder/', 'folder'],
    ['a\u0000b\r\n"c".txt', 'ab_c_.txt'],
    ['invoice\u202egpj.exe', 'invoicegpj.exe'],
    ['zero\u200bwidth\ufeff.txt', 'zerowidth.txt'],
    ['e\u0301.txt', '\u00e9.txt'],
    ['.htaccess', 'htaccess'],
    ['...', 'file'],
    ['', 'file'],
    [' \t\u00a0 ', 'file'],
    ['ends with dots...', 'ends with dots'],
    ['  spaces  inside  ', 'spaces inside'],
    ['CON', 'CON_'],
    ['nul.tar.gz', 'nul_.tar.gz'],
    ['com1.txt', 'com1_.txt'],
    ['console.log', 'console.log'],
    ['what<is>this:|?*', 'what_is_this____'],
    ['lone\ud800surrogate', 'lone\ufffdsurrogate'],
  ])('%j becomes %j', (name, expected) => {
    expect(cleanName(name)).toBe(expected);
  });

  it('keeps the extension of a name that is too long, and never cuts a grapheme', () => {
    expect(cleanName(`${'я'.repeat(300)}.pdf`)).toBe(`${'я'.repeat(125)}.pdf`);
    expect(cleanName('👩‍👩‍👧'.repeat(40))).toBe('👩‍👩‍👧'.repeat(14));
    expect(cleanName(`a.${'x'.repeat(400)}`)).toBe(`a.${'x'.repeat(253)}`);
  });

  it('always returns a safe name, and is idempotent', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.string({ unit: 'grapheme', maxLength: 400 }),
    );
    fc.assert(
      fc.property(name, (given) => {
        const cleaned = cleanName(given);
        expect(Buffer.byteLength(cleaned)).toBeLessThanOrEqual(255);
        expect(cleaned).toMatch(/^[^\p{Cc}\\/<>:"|?*. ][^\p{Cc}\\/<>:"|?*]*$/u);
        expect(cleaned).not.toMatch(/[. ]$/);
        expect(cleanName(cleaned)).toBe(cleaned);
      }),
      { numRuns: countInputs(1000) },
    );
  });
});
