/** Average of most languages and models. */
const BYTES_PER_TOKEN = 4;

/** Estimates tokens cheaply, by bytes; a tokenizer would cost more than the rest of the request. */
export function guessTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN), 0);
}
