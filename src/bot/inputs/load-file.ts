import { openTelegramFile, TelegramFileTooBigError } from '../../telegram/open-file.ts';
import { AnswerFailedError, type Failure } from '../failures/failure.ts';
import type { BotServices } from '../kit/services.ts';

const BYTES_PER_MB = 1024 * 1024;
const LOAD_TIMEOUT_MS = 60_000;

interface LoadOptions {
  readonly limitMb: number;
  /** Failure for a file above the limit, or one that Telegram refuses for its size. */
  readonly tooLarge: Failure;
  /** Failure for a file that can't be loaded. */
  readonly unavailable: Failure;
}

/**
 * Loads a file from Telegram into memory.
 * @throws AnswerFailedError; the signal's reason when aborted. Neither contains the bot's token.
 */
export async function loadFile(
  services: BotServices,
  telegramFileId: string,
  { limitMb, tooLarge, unavailable }: LoadOptions,
  signal: AbortSignal,
): Promise<Buffer> {
  const maxBytes = limitMb * BYTES_PER_MB;
  const chunks: Buffer[] = [];
  let loadedBytes = 0;
  try {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(LOAD_TIMEOUT_MS)]);
    const { sizeBytes = 0, bytes } = await openTelegramFile(services, telegramFileId, inTime);
    if (sizeBytes > maxBytes) throw new AnswerFailedError(tooLarge);
    for await (const chunk of bytes) {
      loadedBytes += chunk.length;
      if (loadedBytes > maxBytes) throw new AnswerFailedError(tooLarge);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AnswerFailedError) throw error;
    if (error instanceof TelegramFileTooBigError) throw new AnswerFailedError(tooLarge);
    throw new AnswerFailedError(unavailable, { cause: error });
  }
}
