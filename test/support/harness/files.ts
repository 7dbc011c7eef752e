import { type ChatMessage, toBotFileId } from 'telegram-bot-simulator';
import type { UploadedFile, UploadOptions } from '../../../src/core/storage/index.ts';
import type { BotHarness } from './bot.ts';
import { collect } from './storage.ts';

type Kind = NonNullable<UploadOptions['telegram']>['kind'];

/** Response of the service to an upload, or about an upload. */
export interface UploadAnswer {
  readonly ok: boolean;
  readonly owner: string;
  readonly url: string;
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
  readonly expires_at: string;
  readonly error: { readonly code: string; readonly message: string };
}

/** File that is not sent to a model. */
export const PDF = { kind: 'document', mimeType: 'application/pdf', fileName: 'thing.pdf' } as const;

/** Link in the answer to a stored file. */
export const A_LINK = /\/file\/[\w-]{22}/;

/** Returns the text of a message. */
export function textOf({ message }: ChatMessage): string {
  return message.text ?? '';
}

/** Returns the ids of the files linked in a message, in order. */
export function idsIn(message: ChatMessage): string[] {
  return [...textOf(message).matchAll(/\/file\/([\w-]{22})$/gm)].map(([, id = '']) => id);
}

/** Returns the owner keys in the spoilers and copy buttons of a message. */
export function keysIn({ message }: ChatMessage): string[] {
  const spoilers = (message.entities ?? []).filter(({ type }) => type === 'spoiler');
  const copied = (message.reply_markup?.inline_keyboard.flat() ?? []).flatMap((button) =>
    'copy_text' in button && /^[\w-]{43}$/.test(button.copy_text.text) ? [button.copy_text.text] : [],
  );
  return [...spoilers.map(({ offset, length }) => message.text?.slice(offset, offset + length) ?? ''), ...copied];
}

/** Reads the content of a stored file. */
export async function readStored(harness: BotHarness, id: string): Promise<Buffer> {
  const file = await harness.storage.find(id);
  const range = { start: 0, end: (file?.sizeBytes ?? 0) - 1 };
  return collect(await harness.storage.read(id, range, AbortSignal.timeout(60_000)));
}

/** Returns the number of files of a user. */
export async function countFiles(harness: BotHarness, telegramId: number): Promise<number> {
  const user = await harness.accounts.ensureTelegramUser(telegramId);
  return (await harness.storage.list(user.id, { offset: 0, limit: 1 })).totalCount;
}

/** Reads the body of a response. The tests check which of the fields are present. */
export async function readUploadAnswer(answer: Response | Promise<Response>): Promise<UploadAnswer> {
  return (await (await answer).json()) as UploadAnswer;
}

/** Stores a file for a user, without the bot. */
export async function keepFile(
  harness: BotHarness,
  owner: { readonly id: number },
  options: Partial<UploadOptions> & { readonly bytes?: Buffer } = {},
): Promise<UploadedFile> {
  const { bytes = Buffer.from('twelve bytes'), ...more } = options;
  const { id: userId } = await harness.accounts.ensureTelegramUser(owner.id);
  const file = { name: 'note.txt', mediaType: 'text/plain', userId, ...more };
  return harness.storage.upload(oneChunk(bytes), file, AbortSignal.timeout(60_000));
}

async function* oneChunk(bytes: Buffer) {
  yield bytes;
}

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
