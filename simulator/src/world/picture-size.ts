import type { PictureSize } from './file-store.ts';

/** Reads width and height from the header of a PNG, JPEG, GIF or WebP; undefined for other formats. */
export function readPictureSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 26) return undefined;
  if (bytes.readUInt32BE(0) === 0x89504e47) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.toString('latin1', 0, 4) === 'GIF8') return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (bytes.readUInt16BE(0) === 0xffd8) return readJpegSize(bytes);
  if (bytes.toString('latin1', 8, 12) === 'WEBP') return readWebpSize(bytes);
  return undefined;
}

/**
 * Searches the segments for the frame header (SOF0 to SOF15, except the three markers in that range that are no
 * frames).
 */
function readJpegSize(bytes: Buffer): PictureSize | undefined {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    // Fill bytes and some markers have no length field.
    at += marker === 0xff ? 1 : marker >= 0xd0 && marker <= 0xd7 ? 2 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function readWebpSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
