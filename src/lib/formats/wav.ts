const HEADER_BYTES = 44;

/** Creates a WAV file: PCM, one channel, 8 bits per sample, 128 is silence. */
export function toWavFile(samples: Buffer, samplesPerSecond: number): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  const riffSize = HEADER_BYTES - 8 + samples.length;
  header.writeUInt32LE(riffSize, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  const [formatSize, pcmFormat, channelCount, blockBytes, bitsPerSample] = [16, 1, 1, 1, 8];
  header.writeUInt32LE(formatSize, 16);
  header.writeUInt16LE(pcmFormat, 20);
  header.writeUInt16LE(channelCount, 22);
  header.writeUInt32LE(samplesPerSecond, 24);
  const bytesPerSecond = samplesPerSecond * blockBytes;
  header.writeUInt32LE(bytesPerSecond, 28);
  header.writeUInt16LE(blockBytes, 32);
  header.writeUInt16LE(bitsPerSample, 34);
  header.write('data', 36, 'latin1');
  const dataSize = samples.length;
  header.writeUInt32LE(dataSize, 40);
  return Buffer.concat([header, samples]);
}
