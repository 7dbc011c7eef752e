import { estimateTokenCount } from 'tokenx';

/** Average of most languages and models. */
const BYTES_PER_TOKEN = 4;

/** Longest text that is estimated as a whole, and maximum for all texts together: about 20 ms of work. */
const MAX_ESTIMATED = { text: 16_384, total: 65_536 };

/** Estimates tokens. Long texts are extrapolated from their beginning, and many texts from the first ones. */
export function estimateTokens(texts: readonly string[]): number {
  let left = MAX_ESTIMATED.total;
  let tokens = 0;
  let coveredLength = 0;
  let restLength = 0;
  for (const text of texts) {
    const part = text.slice(0, Math.min(MAX_ESTIMATED.text, left));
    left -= part.length;
    if (part === '') restLength += text.length;
    else {
      coveredLength += text.length;
      tokens += Math.ceil((estimateTokenCount(part) * text.length) / part.length);
    }
  }
  return coveredLength === 0 ? 0 : tokens + Math.ceil((tokens * restLength) / coveredLength);
}

/** Estimates tokens cheaply, by bytes; a tokenizer would cost more than the rest of the request. */
export function guessTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN), 0);
}
