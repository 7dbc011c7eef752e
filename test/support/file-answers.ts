import type { ChatMessage } from 'telegram-bot-simulator';
import type { BotHarness } from './bot-harness.ts';
import { collect } from './storage-stage.ts';

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
export async function readStored(stage: BotHarness, id: string): Promise<Buffer> {
  const file = await stage.storage.find(id);
  const range = { start: 0, end: (file?.sizeBytes ?? 0) - 1 };
  return collect(await stage.storage.read(id, range, AbortSignal.timeout(60_000)));
}

/** Returns the number of files of a user. */
export async function countFiles(stage: BotHarness, telegramId: number): Promise<number> {
  const person = await stage.accounts.ensureTelegramUser(telegramId);
  return (await stage.storage.list(person.id, { offset: 0, limit: 1 })).totalCount;
}
