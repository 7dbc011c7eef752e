import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findMp4Seconds } from '../../../../src/lib/formats/audio-duration/mp4.ts';

function box(type: string, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
}
function header(version: 0 | 1, scale: number, ticks: number): Buffer {
  const content = Buffer.alloc(version === 1 ? 112 : 100);
  content[0] = version;
  content.writeUInt32BE(scale, version === 1 ? 20 : 12);
  if (version === 1) content.writeBigUInt64BE(BigInt(ticks), 24);
  else content.writeUInt32BE(ticks, 16);
  return box('mvhd', content);
}
const numbers = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
};
/** A sample description of AAC LC, 8 kHz. */
const AAC = (() => {
  const esds = Buffer.from(`0000000003190001000411${'4015'.padEnd(26, '0')}05021588060102`, 'hex');
  return box('stsd', numbers(0, 1), box('mp4a', Buffer.alloc(28), box('esds', esds)));
})();
const handler = (type: string) => box('hdlr', numbers(0, 0), Buffer.from(`${type}\0\0\0\0\0\0\0\0\0\0\0\0`));
const track = (frames: number, { type = 'soun', description = AAC, more = [] as readonly Buffer[] } = {}) =>
  box(
    'trak',
    box('tkhd', numbers(0, 0, 0, 1, 0, 0)),
    ...more,
    box('mdia', handler(type), box('minf', box('stbl', description, box('stsz', numbers(0, 0, frames))))),
  );
/** 8000 / 1024 frames of AAC are a second. */
const SECOND = 8000 / 1024;
const FTYP = box('ftyp', Buffer.from('isom'));
const file = (...boxes: readonly Buffer[]) => Buffer.concat([FTYP, ...boxes]);

describe('the duration of an MP4 file', () => {
  it.each([0, 1] as const)('is read from its header of version %d, before or after the media', (version) => {
    const movie = box('moov', box('free'), header(version, 600, 600 * 95), track(10));
    const media = box('mdat', Buffer.alloc(1000));
    expect(findMp4Seconds(file(movie, media))).toBe(95);
    expect(findMp4Seconds(file(media, movie))).toBe(95);
  });

  it('is that of its frames, if its header states less', () => {
    expect(findMp4Seconds(file(box('moov', header(0, 600, 600), track(3600 * SECOND))))).toBe(3600);
    const fragment = box('moof', box('traf', box('tfhd', numbers(0, 1)), box('trun', numbers(0, 60 * SECOND))));
    expect(findMp4Seconds(file(box('moov', header(0, 600, 600), track(0)), fragment, fragment))).toBeCloseTo(120, 0);
  });

  it('does not count frames of videos and subtitles', () => {
    const others = [
      track(1e6, { type: 'vide' }),
      track(1e6, { type: 'text', description: box('stsd', numbers(0, 1), box('text')) }),
    ];
    expect(findMp4Seconds(file(box('moov', ...others, track(9 * SECOND))))).toBeCloseTo(9, 0);
    expect(findMp4Seconds(file(box('moov', ...others)))).toBeUndefined();
  });

  it('is unknown where decoders may repeat, unpack or cut what is not counted', () => {
    const edits = box('edts', box('elst', numbers(0, 3, 0, 0)));
    expect(findMp4Seconds(file(box('moov', track(10, { more: [edits] }))))).toBeUndefined();
    expect(findMp4Seconds(file(box('moov', track(10), box('cmov'))))).toBeUndefined();
    expect(findMp4Seconds(file(box('moov', track(10, { more: [box('stts', numbers(0, 1, 9, 1))] }))))).toBeUndefined();
    expect(
      findMp4Seconds(file(box('moov', track(10, { description: box('stsd', numbers(0, 1), box('alac')) })))),
    ).toBeUndefined();
  });

  it('is unknown for other and damaged files', () => {
    const movie = box('moov', header(0, 600, 6000), track(10));
    const broken = [Buffer.from('OggS'), file(), file(movie).subarray(0, 40), file(box('moov', header(0, 0, 10)))];
    for (const bytes of broken) expect(findMp4Seconds(bytes)).toBeUndefined();
  });

  it('is read of any bytes without an error', () => {
    const real = readFileSync('test/fixtures/audio/fragments.mp4');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(real.length), (bytes, at) => {
        findMp4Seconds(Buffer.concat([FTYP, bytes]));
        findMp4Seconds(file(box('moov', Buffer.from(bytes))));
        findMp4Seconds(Buffer.concat([real.subarray(0, at), bytes, real.subarray(at + bytes.length)]));
      }),
    );
  });
});
