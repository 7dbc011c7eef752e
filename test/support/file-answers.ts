import type { ChatMessage } from 'telegram-bot-simulator';
import type { BotPlay } from './bot-play.ts';
import { collect } from './storage-stage.ts';

/** A file that no model looks at. */
export const PDF = { kind: 'document', mimeType: 'application/pdf', fileName: 'thing.pdf' } as const;

/** What the answer to a kept file has. */
export const A_LINK = /\/file\/[\w-]{22}/;

/** What a message says. */
export function textOf({ message }: ChatMessage): string {
  return message.text ?? '';
}

/** Ids of the files whose links a message shows, in their order. */
export function idsIn(message: ChatMessage): string[] {
  return [...textOf(message).matchAll(/\/file\/([\w-]{22})$/gm)].map(([, id = '']) => id);
}

/** Owner keys that a message covers, or copies by a button. */
export function keysIn({ message }: ChatMessage): string[] {
  const spoilers = (message.entities ?? []).filter(({ type }) => type === 'spoiler');
  const copied = (message.reply_markup?.inline_keyboard.flat() ?? []).flatMap((button) =>
    'copy_text' in button && /^[\w-]{43}$/.test(button.copy_text.text) ? [button.copy_text.text] : [],
  );
  return [...spoilers.map(({ offset, length }) => message.text?.slice(offset, offset + length) ?? ''), ...copied];
}

/** The bytes of a stored file. */
export async function readStored(stage: BotPlay, id: string): Promise<Buffer> {
  const file = await stage.storage.find(id);
  const range = { start: 0, end: (file?.sizeBytes ?? 0) - 1 };
  return collect(await stage.storage.read(id, range, AbortSignal.timeout(60_000)));
}

/** How many files somebody has. */
export async function countFiles(stage: BotPlay, telegramId: number): Promise<number> {
  const person = await stage.accounts.ensureTelegramUser(telegramId);
  return (await stage.storage.list(person.id, { offset: 0, limit: 1 })).totalCount;
}
