import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findAudioSeconds } from '../../../../src/lib/formats/audio-duration/find-audio-seconds.ts';
import { toWavFile } from '../../../../src/lib/formats/wav.ts';
import { measureBestStep } from '../../../support/machine/measure.ts';
import { countInputs } from '../../../support/vitest/tiers.ts';

/** Recordings of 3.2 seconds, written by FFmpeg. */
const NAMES = [
  ...['tone.wav', 'silence.flac', 'tone.mp3', 'tone.m4a', 'fragments.mp4', 'video.mp4', 'tone.ogg', 'vorbis.ogg'],
  ...['tone.webm', 'live.webm'],
] as const;
const read = (name: (typeof NAMES)[number]) => readFileSync(`test/fixtures/audio/${name}`);

const HOUR = 3600;
const repeat = (unit: Buffer, count: number) => Buffer.alloc(unit.length * count, unit);

/** An Ogg page with packets of one byte each: 60 ms of silence. */
function toOggPage(packets: number, { statedSamples = 0n } = {}): Buffer {
  const page = Buffer.alloc(27 + 2 * packets, 1);
  page.write('OggS', 'latin1');
  page.writeUInt16LE(0, 4);
  page.writeBigInt64LE(statedSamples, 6);
  read('tone.ogg').copy(page, 14, 14, 18);
  page[26] = packets;
  return page.fill(0x18, 27 + packets);
}

const OGG_HEAD = read('tone.ogg').subarray(0, read('tone.ogg').indexOf('OggS', 28));
const WEBM_HEAD = read('live.webm').subarray(0, read('live.webm').indexOf('1f43b675', 0, 'hex'));

/** Returns the first frame of a FLAC file, whose blocks of silence take some bytes. */
function cutFlac(): { readonly head: Buffer; readonly frame: Buffer } {
  const bytes = read('silence.flac');
  const first = bytes.indexOf('fff8', 0, 'hex');
  return { head: bytes.subarray(0, first), frame: bytes.subarray(first, bytes.indexOf('fff8', first + 2, 'hex')) };
}

describe('the duration of a recording', () => {
  it.each(NAMES)('is read from %s', (name) => {
    expect(findAudioSeconds(read(name))).toBe(3);
  });

  it('is read behind a tag of a player', () => {
    const tag = Buffer.from('ID3\x03\0\0\0\0\0\x05title', 'latin1');
    for (const name of ['tone.mp3', 'silence.flac', 'tone.wav'] as const)
      expect(findAudioSeconds(Buffer.concat([tag, read(name)]))).toBe(3);
  });

  it('is unknown for other formats, and for formats in which silence is compressed without a count', () => {
    const adpcm = Buffer.from(read('tone.wav'));
    adpcm.writeUInt16LE(2, 20);
    const lossless = Buffer.from(read('tone.m4a').toString('latin1').replace('mp4a', 'alac'), 'latin1');
    const aac = repeat(Buffer.from('fff15c40013ffc', 'hex'), 1000);
    for (const bytes of [Buffer.alloc(0), Buffer.from('words'), Buffer.from('OggS'), adpcm, lossless, aac])
      expect(findAudioSeconds(bytes)).toBeUndefined();
  });
});

describe('the duration of a recording that states less than it has', () => {
  it('is that of its samples at the rate that is stated for them', () => {
    expect(findAudioSeconds(toWavFile(Buffer.alloc(10 * HOUR), 1))).toBe(10 * HOUR);
    const fast = toWavFile(Buffer.alloc(HOUR), 1);
    fast.writeUInt32LE(1_000_000, 28);
    fast.writeUInt32LE(0, 40);
    expect(findAudioSeconds(fast)).toBe(HOUR);
  });

  it('is that of all its frames and packets', () => {
    const { head, frame } = cutFlac();
    const samples = 1024;
    const frames = Math.round((HOUR * 16_000) / samples);
    expect(findAudioSeconds(Buffer.concat([head, repeat(frame, frames)]))).toBeCloseTo(HOUR, -1);
    const page = toOggPage(255, { statedSamples: 48_000n });
    expect(findAudioSeconds(Buffer.concat([OGG_HEAD, repeat(page, 1000)]))).toBe(Math.round(0.06 * 255 * 1000));
    const block = Buffer.from('a3858100008018', 'hex');
    expect(findAudioSeconds(Buffer.concat([WEBM_HEAD, repeat(block, 60_000)]))).toBe(HOUR);
  });

  it('includes pages in what looks like a broken page', () => {
    const hidden = repeat(toOggPage(255), 100);
    const broken = Buffer.concat([toOggPage(1), hidden]);
    broken[26] = 255;
    const seconds = findAudioSeconds(Buffer.concat([OGG_HEAD, broken]));
    expect(seconds).toBeGreaterThan(0.06 * 255 * 99);
  });

  it('is unknown if an MP3 file has much between its frames', () => {
    const mp3 = read('tone.mp3');
    expect(findAudioSeconds(Buffer.concat([mp3, Buffer.alloc(4096)]))).toBe(3);
    expect(findAudioSeconds(Buffer.concat([mp3, Buffer.alloc(100_000), mp3]))).toBeUndefined();
  });
});

describe('reading the duration of any bytes', () => {
  it('never fails', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...NAMES),
        fc.array(fc.record({ at: fc.nat(8000), bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }) }), {
          maxLength: 5,
        }),
        (name, changes) => {
          const bytes = Buffer.from(read(name));
          for (const change of changes)
            bytes.set(
              change.bytes.subarray(0, Math.max(0, bytes.length - change.at)),
              Math.min(change.at, bytes.length),
            );
          const seconds = findAudioSeconds(bytes);
          expect(seconds === undefined || (seconds >= 1 && Number.isFinite(seconds))).toBe(true);
        },
      ),
      { numRuns: countInputs(1000) },
    );
  });

  const MOST = 25 * 1024 * 1024;
  const fill = (head: Buffer, unit: Buffer) => Buffer.concat([head, Buffer.alloc(MOST - head.length, unit)]);
  it.each<readonly [string, () => Buffer]>([
    ['Ogg pages', () => fill(OGG_HEAD, toOggPage(1))],
    ['Ogg packets', () => fill(OGG_HEAD, toOggPage(255))],
    ['ends of the mark of Ogg pages', () => fill(OGG_HEAD, Buffer.from('S'))],
    ['beginnings of FLAC frames', () => fill(cutFlac().head, Buffer.from('fff8c9a8ff', 'hex'))],
    ['FLAC frames', () => fill(cutFlac().head, cutFlac().frame)],
    ['the shortest MP3 frames', () => fill(Buffer.alloc(0), Buffer.from('fff31400'.padEnd(48, '0'), 'hex'))],
    ['tags', () => fill(Buffer.alloc(0), Buffer.from('ID3\x03\0\0\0\0\0\0'))],
    ['boxes', () => fill(read('tone.m4a').subarray(0, 28), Buffer.from('\0\0\0\x08trak'))],
    ['nested boxes', () => fill(read('tone.m4a').subarray(0, 28), Buffer.from('\0\0\0\0moov'))],
    ['elements', () => fill(WEBM_HEAD, Buffer.from('ec80', 'hex'))],
    ['blocks', () => fill(WEBM_HEAD, Buffer.from('a3858100008018', 'hex'))],
    ['chunks', () => fill(Buffer.from('RIFF\0\0\0\0WAVE'), Buffer.from('LIST\0\0\0\0'))],
  ])('takes less than 50 ms with 25 MiB of %s', (_what, create) => {
    const bytes = create();
    expect(measureBestStep(() => findAudioSeconds(bytes), 50)).toBeLessThan(50);
  });
});
