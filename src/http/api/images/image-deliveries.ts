import type { FastifyReply } from 'fastify';
import type { DrainDeps } from '../../await-drain.ts';
import { unavailable } from '../../http-error.ts';
import { countBytes, type JsonChunk, sendJsonChunks } from './send-json-chunks.ts';

/** Images being sent, which are held in memory until the client has read them or is gone. */
export interface ImageDeliveries {
  /** @throws HttpError 503 while too many bytes are being sent to generate more images. */
  requireCapacity(): void;
  /** Responds 200 with this JSON. Resolves when it is sent or the client is gone. */
  send(reply: FastifyReply, chunks: readonly JsonChunk[]): Promise<void>;
}

/** Limits the memory that slow clients can occupy. */
export function createImageDeliveries(deps: DrainDeps & { readonly maxBytes: number }): ImageDeliveries {
  let bytesOnTheirWay = 0;
  return {
    requireCapacity() {
      if (bytesOnTheirWay >= deps.maxBytes) throw unavailable('Too many images are being delivered right now.', 5);
    },
    async send(reply, chunks) {
      const sizeBytes = countBytes(chunks);
      bytesOnTheirWay += sizeBytes;
      try {
        await sendJsonChunks(reply, chunks, deps);
      } finally {
        bytesOnTheirWay -= sizeBytes;
      }
    },
  };
}
