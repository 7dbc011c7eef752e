import { toBotFileId } from 'telegram-bot-simulator';
import type { UploadedFile, UploadOptions } from '../../src/core/storage/index.ts';
import type { BotHarness } from './bot-harness.ts';

/** Stores a file for a user, without the bot. */
export async function keepFile(
  harness: BotHarness,
  owner: { readonly id: number },
  order: Partial<UploadOptions> & { readonly bytes?: Buffer } = {},
): Promise<UploadedFile> {
  const { bytes = Buffer.from('twelve bytes'), ...more } = order;
  const { id: userId } = await harness.accounts.ensureTelegramUser(owner.id);
  const file = { name: 'note.txt', mediaType: 'text/plain', userId, ...more };
  return harness.storage.upload(oneChunk(bytes), file, AbortSignal.timeout(10_000));
}

async function* oneChunk(bytes: Buffer) {
  yield bytes;
}

type Kind = NonNullable<UploadOptions['telegram']>['kind'];

/**
 * Returns a file that Telegram has, with the bot's file id: it is sent to a group in a message that the bot ignores.
 */
export function sendAside(harness: BotHarness, kind: Kind, file: { mimeType?: string; fileName?: string } = {}) {
  const { Eve } = harness.group(['Eve']);
  Eve.sends({ kind, ...file });
  const message = harness.telegram.transcript(Eve.chatId).at(-1)?.message;
  const media = kind === 'photo' ? message?.photo?.at(-1) : message?.[kind];
  if (!media) throw new Error(`nothing was sent as ${kind}`);
  return { kind, fileId: toBotFileId(harness.telegram.state().bot.id, media.file_id) };
}
