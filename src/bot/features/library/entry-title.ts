import type { LibraryEntry } from '../../../core/library/index.ts';
import { toOneLine } from '../../../lib/one-line.ts';
import { shorten } from '../../../lib/shorten.ts';
import type { BotContext } from '../../kit/context.ts';

/** Characters of a title that fit on two lines of a phone. */
const MAX_TITLE_CHARACTERS = 60;

/** Returns the title of an entry, after a sign for its kind. */
export function toEntryTitle(ctx: BotContext, { key, role, title }: LibraryEntry): string {
  const sign = key.kind === 'message' ? (role === 'user' ? '💬' : '🤖') : key.kind === 'attachment' ? '📄' : '🗂';
  const name = toOneLine(title ?? ctx.texts.untitled);
  return `${sign} ${shorten(name, MAX_TITLE_CHARACTERS)}`;
}
