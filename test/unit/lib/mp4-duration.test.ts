import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findMp4Seconds } from '../../../src/lib/mp4-duration.ts';

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
const FTYP = box('ftyp', Buffer.from('isom'));
const file = (...boxes: readonly Buffer[]) => Buffer.concat([FTYP, ...boxes]);

describe('the duration of an MP4 file', () => {
  it.each([0, 1] as const)('is read from its header of version %d, before or after the media', (version) => {
    const movie = box('moov', box('free'), header(version, 600, 600 * 95));
    const media = box('mdat', Buffer.alloc(1000));
    expect(findMp4Seconds(file(movie, media))).toBe(95);
    expect(findMp4Seconds(file(media, movie))).toBe(95);
  });

  it('is unknown for other and damaged files', () => {
    const movie = box('moov', header(0, 600, 6000));
    const broken = [Buffer.from('OggS'), file(), file(movie).subarray(0, 40), file(box('moov', header(0, 0, 10)))];
    for (const bytes of broken) expect(findMp4Seconds(bytes)).toBeUndefined();
  });

  it('is read of any bytes without an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        findMp4Seconds(Buffer.concat([FTYP, bytes]));
        findMp4Seconds(file(box('moov', Buffer.from(bytes))));
      }),
    );
  });
});
