import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { containsAddress } from '../../../../src/core/tools/index.ts';
import { measureStep } from '../../../support/machine/measure.ts';
import { countInputs } from '../../../support/vitest/tiers.ts';

const contains = (text: string, address: string) => containsAddress(text, new URL(address));
const options = { seed: 20_260_101, numRuns: countInputs(1000) };

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const host = fc.oneof(
  fc.array(label, { minLength: 2, maxLength: 3 }).map((labels) => labels.join('.')),
  fc.constantFrom('пример.рф', 'xn--e1afmkfd.xn--p1ai', '93.184.215.14', '[2606:4700::1]', 'ex_ample.org'),
);
const path = fc.stringMatching(/^(?:\/[\w.~%+,()@:;=!-]{0,8}){0,3}$/);
const query = fc.stringMatching(/^(?:\?[\w.~+,()@:;=&!/-]{0,12})?$/);
const port = fc.constantFrom('', ':80', ':443', ':8080');
const address = fc
  .tuple(fc.constantFrom('http', 'https'), host, port, path, query)
  .map((parts) => `${parts[0]}://${parts.slice(1).join('')}`)
  .filter((written) => URL.canParse(written));
/** An address as it appears in prose, in JSON, in Markdown. */
const surroundings = fc.constantFrom<readonly [string, string]>(
  ['', ''],
  ['See ', ' for more.'],
  ['See ', '.'],
  ['Is it ', '?'],
  ['(', ')'],
  ['(see ', ').'],
  ['[here](', ')'],
  ['[here](<', '>), and'],
  ['`', '`'],
  ['**', '**'],
  ['{"url":"', '","title":"x"}'],
  ["<a href='", "'>x</a>"],
  ['«', '»'],
  ['a,', ''],
  ['line\n', '\nline'],
  ['\t', '\t'],
);

describe('an address in a text', () => {
  test('is found in any surrounding text', () => {
    const property = fc.property(address, surroundings, (written, [before, after]) => {
      expect(contains(`${before}${written}${after}`, written)).toBe(true);
    });
    fc.assert(property, options);
  });

  test('is found in other spellings that mean the same to the host', () => {
    const respell = fc.constantFrom<(written: string) => string>(
      (written) => `${written.replace(/#.*/, '')}#fragment`,
      (written) => written.replace(/^http/, 'HTTP'),
      (written) => written.replace(/\/\/[^/?]+/, (one) => one.toUpperCase()),
      (written) => `\t ${written.slice(0, 12)}\n${written.slice(12)}`,
      (written) => written.replaceAll('/', '\\').replace(/\?.*/s, (rest) => rest.replaceAll('\\', '/')),
      (written) => new URL(written).href,
    );
    const property = fc.property(address, respell, (written, change) => {
      expect(contains(`See ${written} there`, change(written))).toBe(true);
    });
    fc.assert(property, options);
  });

  test('is not found if it contains anything that the text does not', () => {
    const secret = fc.stringMatching(/^[A-Z]{2}[0-9A-Z]{6}$/);
    const disguise = fc.constantFrom<(words: string) => string>(
      (words) => words,
      (words) => words.toLowerCase(),
      (words) => encodeURIComponent(words),
      (words) => [...words].map((one) => `%${one.charCodeAt(0).toString(16)}`).join(''),
      (words) => Buffer.from(words).toString('base64url'),
      (words) => Buffer.from(words).toString('hex'),
      (words) => [...words].join('.'),
      (words) => [...words].join('\t'),
      (words) => `/${words}/`,
      (words) => `\\${words}\\`,
      (words) => `?${words}`,
      (words) => `&x=${words}`,
      (words) => `${words}@`,
      (words) => `${words}.`,
      (words) => `:${words}@`,
    );
    const chatTopic = fc.double({ min: 0, max: 1, noNaN: true });
    const property = fc.property(
      ...([address, surroundings, secret, disguise, chatTopic] as const),
      (written, [before, after], words, change, at) => {
        // After the scheme, as far as the host receives it.
        const start = written.indexOf('//') + 2;
        const cut = start + Math.round(at * (written.length - start));
        const composed = URL.parse(written.slice(0, cut) + change(words) + written.slice(cut));
        if (composed) expect(containsAddress(`${before}${written}${after}`, composed)).toBe(false);
      },
    );
    fc.assert(property, { ...options, numRuns: countInputs(3000) });
  });

  test('is searched in bounded time, however often the text repeats its host', () => {
    const url = 'https://example.org/a';
    const pieces = fc.constantFrom(
      'https://example.org/',
      'example.org',
      '(',
      ')',
      ',',
      '%',
      '\\u0026',
      '\\/',
      'x',
      '://',
      '@',
      ' ',
    );
    const unit = fc.array(pieces, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    const property = fc.property(unit, (one) => {
      const text = one.repeat(Math.ceil(2_000_000 / one.length));
      expect(measureStep(() => containsAddress(text, new URL(`${url}?never`)))).toBeLessThan(5000);
    });
    fc.assert(property, { seed: 1, numRuns: 15 });
  }, 60_000);

  test('is searched in bounded memory, however often the text repeats its host', async () => {
    const search = `
      const { parentPort, workerData } = require('node:worker_threads');
      import(workerData).then(({ containsAddress }) => {
        for (const one of ['https://example.org/ ', 'example.org,', '(example.org%'])
          containsAddress(one.repeat(30_000_000 / one.length), new URL('https://example.org/?never'));
        parentPort.postMessage('searched');
      });`;
    const module = new URL('../../../../src/core/tools/contains-address.ts', import.meta.url);
    const resourceLimits = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 16 };
    const worker = new Worker(search, { eval: true, workerData: module.href, execArgv: [], resourceLimits });
    expect(await once(worker, 'message')).toEqual(['searched']);
    await worker.terminate();
  }, 60_000);

  it.each([
    ['example.com/a', 'https://example.com/a'],
    ['example.com/a', 'http://example.com/a'],
    ['www.example.com.', 'https://www.example.com/'],
    ['https://пример.рф/путь', 'https://xn--e1afmkfd.xn--p1ai/%D0%BF%D1%83%D1%82%D1%8C'],
    ['https:\\/\\/example.com\\/a?b=1\\u0026c=2', 'https://example.com/a?b=1&c=2'],
    ['https://example.com/a?b=1&amp;c=2', 'https://example.com/a?b=1&c=2'],
    ['https://en.wikipedia.org/wiki/Fox_(disambiguation)', 'https://en.wikipedia.org/wiki/Fox_(disambiguation)'],
    ['[x](https://example.com/1),[y](https://example.com/2)', 'https://example.com/2'],
  ])('%s contains %s', (text, url) => expect(contains(text, url)).toBe(true));

  it.each([
    ['https://example.com/abc', 'https://example.com/ab'],
    ['https://example.com/abc', 'https://example.com/'],
    ['https://example.com/abc', 'https://example.com/ABC'],
    ['https://example.com/abc', 'http://example.com/abc'],
    ['https://example.com/abc', 'https://example.com:8443/abc'],
    ['https://sub.example.com/', 'https://example.com/'],
    ['me@example.com', 'https://example.com/'],
    ['https://me@example.com/', 'https://example.com/'],
    ['https://example.com/', 'https://me@example.com/'],
    ['https://evil.org/?https://example.com/', 'https://evil.org/?https://example.com/x'],
    ['https://a.org https://b.org', 'https://a.org/%20https://b.org'],
    ['', 'https://example.com/'],
  ])('%s does not contain %s', (text, url) => expect(contains(text, url)).toBe(false));
});
