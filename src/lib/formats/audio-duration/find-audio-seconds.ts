import { findFlacSeconds } from './flac.ts';
import { findId3End, findMp3Seconds } from './mp3.ts';
import { findMp4Seconds } from './mp4.ts';
import { findOggSeconds } from './ogg.ts';
import { findWavSeconds } from './wav.ts';
import { findWebmSeconds } from './webm.ts';

/**
 * Returns the longest sound that a decoder can find in a recording, in whole seconds. It is counted from frames and
 * packets, because a header can state less than there is. Takes bounded time. Undefined if it is not known: of other
 * formats than WAV, FLAC, MP3, MP4 with AAC, Ogg and WebM, and of files that are broken or have too many frames.
 */
export function findAudioSeconds(bytes: Buffer): number | undefined {
  const seconds = readSeconds(bytes.subarray(findId3End(bytes)));
  return seconds !== undefined && seconds > 0 && Number.isFinite(seconds)
    ? Math.max(1, Math.round(seconds))
    : undefined;
}

function readSeconds(bytes: Buffer): number | undefined {
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('OggS')) return findOggSeconds(bytes);
  if (head.startsWith('fLaC')) return findFlacSeconds(bytes);
  if (/^(RIFF|RF64)....WAVE/s.test(head)) return findWavSeconds(bytes);
  if (head.startsWith('ftyp', 4)) return findMp4Seconds(bytes);
  if (head.startsWith('\x1a\x45\xdf\xa3')) return findWebmSeconds(bytes);
  return findMp3Seconds(bytes);
}
