import { expect, test } from 'vitest';
import { toSafeUrl } from '../src/playground/links.ts';

test.each([
  ['https://a.example/x?y', 'https://a.example/x?y'],
  ['example.org', 'https://example.org/'],
  ['localhost.test:8080/a', 'https://localhost.test:8080/a'],
  ['tg://user?id=1', 'tg://user?id=1'],
  ['mailto:a@b.example', 'mailto:a@b.example'],
])('the page follows %s', (url, address) => {
  expect(toSafeUrl(url)).toBe(address);
});

test.each(['javascript:alert(1)', ' JaVaScRiPt:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'vbscript:x'])(
  'the page does not follow %s',
  (url) => {
    expect(toSafeUrl(url)).toBeUndefined();
  },
);
