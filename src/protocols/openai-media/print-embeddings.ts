import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Embeddings, EmbeddingVector, VectorEncoding } from '../../core/models/contract/embedding-model.ts';

/** Printing a vector of 1536 numbers takes up to 0.6 ms. */
const VECTORS_PER_TURN = 16;

/**
 * Prints the answer in OpenAI's protocol with vectors in the requested encoding. An answer of the host that has them is
 * returned unchanged.
 */
export async function printEmbeddings(
  { vectors, promptTokens, reportedModel, native, model }: Embeddings & { readonly promptTokens: number },
  encoding: VectorEncoding,
): Promise<Buffer> {
  if (native?.encoding === encoding) return native.bytes;
  const printed: Buffer[] = [Buffer.from('{"object":"list","data":[')];
  let index = 0;
  for (const vector of vectors) {
    const comma = index === 0 ? '' : ',';
    printed.push(Buffer.from(`${comma}{"object":"embedding","index":${index},"embedding":${print(vector, encoding)}}`));
    index += 1;
    if (index % VECTORS_PER_TURN === 0) await yieldToEventLoop();
  }
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
  printed.push(Buffer.from(`],${JSON.stringify({ model: reportedModel ?? model, usage }).slice(1)}`));
  return Buffer.concat(printed);
}

function print(vector: EmbeddingVector, encoding: VectorEncoding): string {
  return JSON.stringify(encoding === 'base64' ? toBase64(vector) : toNumbers(vector));
}

const BYTES_PER_FLOAT = Float32Array.BYTES_PER_ELEMENT;

function toBase64(vector: EmbeddingVector): string {
  if (typeof vector === 'string') return vector;
  const bytes = Buffer.alloc(vector.length * BYTES_PER_FLOAT);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * BYTES_PER_FLOAT);
  return bytes.toString('base64');
}

function toNumbers(vector: EmbeddingVector): readonly number[] {
  if (typeof vector !== 'string') return vector;
  const bytes = Buffer.from(vector, 'base64');
  return Array.from({ length: bytes.length / BYTES_PER_FLOAT }, (_, at) => bytes.readFloatLE(at * BYTES_PER_FLOAT));
}
