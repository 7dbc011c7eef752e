import { toWavFile } from '../../src/lib/wav.ts';

const SAMPLES_PER_SECOND = 8000;

/** Returns a WAV file with a tone of this duration. */
export function toWav(seconds: number): Buffer<ArrayBuffer> {
  const samples = Buffer.alloc(seconds * SAMPLES_PER_SECOND);
  for (let at = 0; at < samples.length; at++) samples[at] = 128 + Math.round(60 * Math.sin(at / 3));
  return toWavFile(samples, SAMPLES_PER_SECOND);
}
