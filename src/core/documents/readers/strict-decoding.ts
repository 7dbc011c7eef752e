/** Size of the beginning of a text that is searched for signs of its encoding, or that it is no text. */
export const SAMPLE_BYTES = 64 * 1024;
/** Number of characters that are examined. */
export const SAMPLE_CHARACTERS = 20_000;

/** Returns the text; undefined if a byte has no meaning in the encoding. */
export function decodeStrictly(bytes: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
