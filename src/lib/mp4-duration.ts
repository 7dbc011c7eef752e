const TYPE_OFFSET = 4;
const HEADER_BYTES = 8;
/** `moov` and `mvhd` are among the first boxes of their level; a file with more was made to delay. */
const MAX_BOXES = 100;

/**
 * Returns the duration that an MP4 or QuickTime file states in its movie header, in seconds (ISO/IEC 14496-12, section
 * 8.2.2). Undefined for other files.
 */
export function findMp4Seconds(bytes: Buffer): number | undefined {
  if (bytes.toString('latin1', TYPE_OFFSET, HEADER_BYTES) !== 'ftyp') return undefined;
  const movie = findBox(bytes, 'moov');
  const header = movie && findBox(movie, 'mvhd');
  return header && readDuration(header);
}

/** Returns the content of the first box of a type. */
function findBox(bytes: Buffer, type: string): Buffer | undefined {
  for (let at = 0, count = 0; at + HEADER_BYTES <= bytes.length && count < MAX_BOXES; count += 1) {
    const isLong = bytes.readUInt32BE(at) === 1 && at + 2 * HEADER_BYTES <= bytes.length;
    const headerBytes = isLong ? 2 * HEADER_BYTES : HEADER_BYTES;
    const size = isLong ? Number(bytes.readBigUInt64BE(at + HEADER_BYTES)) : bytes.readUInt32BE(at);
    // Size 0: the last box, up to the end of the file.
    const end = size === 0 ? bytes.length : at + size;
    if (bytes.toString('latin1', at + TYPE_OFFSET, at + HEADER_BYTES) === type)
      return bytes.subarray(at + headerBytes, end);
    if (end < at + headerBytes) return undefined;
    at = end;
  }
  return undefined;
}

/** Reads version, flags and two dates, then the ticks per second and the duration in ticks. */
function readDuration(header: Buffer): number | undefined {
  const isLong = header[0] === 1;
  const [scaleAt, durationAt] = isLong ? [20, 24] : [12, 16];
  if (header.length < durationAt + (isLong ? 8 : 4)) return undefined;
  const ticks = isLong ? Number(header.readBigUInt64BE(durationAt)) : header.readUInt32BE(durationAt);
  const seconds = Math.round(ticks / header.readUInt32BE(scaleAt));
  return Number.isFinite(seconds) && ticks > 0 ? Math.max(1, seconds) : undefined;
}
