import { z } from 'zod';
import { WorkQueue } from '../../lib/async/work-queue.ts';
import { systemClock } from '../../lib/clock.ts';
import { toChildModule } from '../../lib/layout.ts';
import { createProcessPool } from '../../lib/process/process-pool.ts';
import { ProcessError } from '../../lib/process/run-in-process.ts';
import type { DecodedImage, DecodingTask } from './decode-image.ts';

/** Thrown if the bytes are no complete image, or the image has too many pixels. */
export class UnreadableImageError extends Error {
  override readonly name: string = 'UnreadableImageError';
}

const MIB = 1024 * 1024;
const LIMITS = { clock: systemClock, timeoutMs: 60_000, maxMemoryBytes: 1024 * MIB, maxResultBytes: 256 * MIB };
/** Each process may use a core and `maxMemoryBytes` of memory. */
const queue = new WorkQueue({ total: 2, maxWaiting: 100 });
const NEVER = new AbortController().signal;
const runInPool = createProcessPool(
  { module: toChildModule('core/images/decoding-process'), hasAddons: true },
  { ...LIMITS, maxTasks: 50, idleMs: 10_000 },
);

const decodedImage: z.ZodType<DecodedImage> = z.object({
  format: z.enum(['png', 'jpeg', 'webp']),
  width: z.number().int().positive(),
  height: z.number().int().positive(),
  bytes: z.instanceof(Uint8Array).optional(),
});

/**
 * Decodes an image in a child process with limits, so that no file can crash the service. A process decodes several
 * images, but none after a file that it could not read.
 * @throws UnreadableImageError; QueueFullError; the system's error if no process can be started.
 */
export async function decodeInChild(task: DecodingTask): Promise<DecodedImage> {
  try {
    return decodedImage.parse(await queue.run(() => runInPool(task, NEVER)));
  } catch (error) {
    if (!(error instanceof ProcessError || error instanceof z.ZodError)) throw error;
    throw new UnreadableImageError('the image is damaged, or too large to read', { cause: error });
  }
}
