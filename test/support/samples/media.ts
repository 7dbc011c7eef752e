import { crc32, deflateSync } from 'node:zlib';
import { toWavFile } from '../../../src/lib/formats/wav.ts';

const SAMPLES_PER_SECOND = 8000;

/** Returns a valid PNG of one colour, given as red, green and blue from 0 to 255. */
export function drawPng(
  width: number,
  height: number,
  colour: readonly [number, number, number] = [51, 144, 236],
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits per channel, RGB.
  header.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from(colour))]);
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    toChunk('IHDR', header),
    toChunk('IDAT', deflateSync(rows)),
    toChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns a small file that claims and has `side` by `side` white or black pixels: at 20 000 a bomb for decoders. */
export function drawVastPng(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // One bit per pixel.
  header.set([1, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    toChunk('IHDR', header),
    toChunk('IDAT', deflateSync(Buffer.alloc(side * (1 + Math.ceil(side / 8))))),
    toChunk('IEND', Buffer.alloc(0)),
  ]);
}

function toChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, checksum]);
}

/** Returns a WAV file with a tone of this duration. */
export function toWav(seconds: number): Buffer<ArrayBuffer> {
  const samples = Buffer.alloc(seconds * SAMPLES_PER_SECOND);
  for (let at = 0; at < samples.length; at++) samples[at] = 128 + Math.round(60 * Math.sin(at / 3));
  return toWavFile(samples, SAMPLES_PER_SECOND);
}
