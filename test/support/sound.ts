const SAMPLES_PER_SECOND = 8000;

/** A WAV file with a tone of so many seconds. */
export function toWav(seconds: number): Buffer<ArrayBuffer> {
  const sampleCount = seconds * SAMPLES_PER_SECOND;
  const wav = Buffer.alloc(44 + sampleCount, 128);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(36 + sampleCount, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  // PCM, one channel.
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  wav.writeUInt32LE(SAMPLES_PER_SECOND, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(sampleCount, 40);
  for (let at = 0; at < sampleCount; at++) wav[44 + at] = 128 + Math.round(60 * Math.sin(at / 3));
  return wav;
}
