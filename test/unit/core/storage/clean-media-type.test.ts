import { expect, it } from 'vitest';
import { cleanMediaType } from '../../../../src/core/storage/upload/clean-media-type.ts';

it.each([
  ['image/PNG', 'image/png'],
  ['text/plain; charset=UTF-8', 'text/plain; charset=utf-8'],
  ['text/plain;x=1;charset="koi8-r"', 'text/plain; charset=koi8-r'],
  ['text/csv ; header=present; Charset = windows-1251', 'text/csv; charset=windows-1251'],
  ['video/mp4; codecs="avc1"', 'video/mp4'],
  ['application/vnd.ms-excel.sheet.macroEnabled.12', 'application/vnd.ms-excel.sheet.macroenabled.12'],
  [undefined, 'application/octet-stream'],
  ['', 'application/octet-stream'],
  ['text', 'application/octet-stream'],
  ['text/html\r\nSet-Cookie: a=b', 'application/octet-stream'],
  ['text/plain; charset=utf-8\r\nX: y', 'text/plain'],
  ['*/*', 'application/octet-stream'],
  [`text/${'x'.repeat(200)}`, 'application/octet-stream'],
])('the media type %j is stored as %j', (given, expected) => {
  expect(cleanMediaType(given)).toBe(expected);
});
