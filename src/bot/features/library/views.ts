import type { MessageEntity } from 'grammy/types';
import {
  type EntryPart,
  type FoundEntry,
  type LibraryEntry,
  MAX_RESULTS,
  MAX_WAITING_COUNTED,
  type WaitingTexts,
} from '../../../core/library/index.ts';
import { shorten, toOneLine } from '../../../lib/text.ts';
import { cutPage } from '../../../telegram/markdown/index.ts';
import { formatDay, formatMoment } from '../../../texts/moment.ts';
import type { ActionAnswer, CallbackActionOf } from '../../kit/actions.ts';
import { findMessageLink, isPrivate, toOwner } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { type KeyboardButton, loadPagedRows, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, type View } from '../../kit/views.ts';
import { toFileView } from '../files/views.ts';
import { texts } from './texts.ts';

/** As many results fit on a phone, and their buttons in a row. */
const RESULTS_PER_PAGE = 5;
const SNIPPET_UNITS = 160;
/** Fewer texts than these are indexed within some seconds. */
const MIN_MENTIONED = 100;

/** Search, and the page of its results from 0. */
type FoundListing = Omit<CallbackActionOf<'list-found'>, 'kind'>;

/** Returns one page of the results, best first. Beyond the last page, returns the last one. */
export async function toFoundView(services: BotServices, ctx: BotContext, listing: FoundListing): Promise<View> {
  const { search } = listing;
  const by = { userId: ctx.user.id };
  const { page, entries, totalCount, pagerRow } = await loadPagedRows(
    listing.page,
    RESULTS_PER_PAGE,
    (range) => services.library.search(toOwner(ctx), search, { ...range, ...by, snippetUnits: SNIPPET_UNITS }),
    (to) => ({ kind: 'list-found', search, page: to }),
  );
  const waiting = await services.library.countWaitingOf(toOwner(ctx));
  const writer = createWriter();
  writer.write(toHeading(ctx, toHarmless(search), totalCount));
  for (const [index, entry] of entries.entries()) writeEntry(writer, ctx, entry, toNumber(page, index));
  for (const line of toWaitingLines(ctx, waiting)) writer.write(`\n\n${line}`);
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    entries.map((entry, index) => toEntryButton(entry, toNumber(page, index))),
    pagerRow,
    [
      { text: texts[ctx.locale].buttons.search, action: { kind: 'search-library' } },
      { text: ctx.texts.buttons.close, action: { kind: 'close-menu' } },
    ],
  ]);
  return { ...writer.finish(), keyboard };
}

/** Says what can't be found yet. */
function toWaitingLines(ctx: BotContext, { textCount, fileCount }: WaitingTexts): readonly string[] {
  const { indexing, reading } = texts[ctx.locale];
  const areMore = textCount >= MAX_WAITING_COUNTED;
  return [
    ...(textCount >= MIN_MENTIONED ? [indexing(textCount, areMore)] : []),
    ...(fileCount > 0 ? [reading(fileCount)] : []),
  ];
}

function toNumber(page: number, index: number): number {
  return page * RESULTS_PER_PAGE + index + 1;
}

function toHeading(ctx: BotContext, search: string, count: number): string {
  const words = texts[ctx.locale];
  if (count === 0) return words.noneFound(search, ctx.group !== undefined);
  return count < MAX_RESULTS ? words.found(count, search) : words.best(count, search);
}

/** Returns the button that leads to an entry: a link in supergroups, elsewhere the bot replies to the message. */
function toEntryButton({ id: entryId, shownIn }: FoundEntry, number: number): KeyboardButton {
  const text = `${number}`;
  const url = shownIn && findMessageLink(shownIn.chatId, shownIn.telegramMessageId);
  return url === undefined ? { text, action: { kind: 'show-found', entryId } } : { text, url };
}

function writeEntry(writer: Writer, ctx: BotContext, entry: FoundEntry, number: number): void {
  const { snippet, sentAt } = entry;
  const day = formatDay(ctx.locale, sentAt.getTime(), ctx.user.settings.timeZone);
  writer.write(`\n\n${number}. `);
  writer.write(toHarmless(toEntryTitle(ctx, entry)), 'bold');
  writer.write(` · ${day}`);
  if (snippet.text === '') return;
  writer.write('\n');
  let end = 0;
  for (const { offset, length } of snippet.marks) {
    writer.write(toHarmless(snippet.text.slice(end, offset)));
    writer.write(toHarmless(snippet.text.slice(offset, offset + length)), 'bold');
    end = offset + length;
  }
  writer.write(toHarmless(snippet.text.slice(end)));
}

/** Replaces signs by which Telegram would notify mentioned users and make commands clickable. */
function toHarmless(text: string): string {
  return text.replaceAll('@', '＠').replace(/(^|\s)\//g, '$1∕');
}

type Writer = ReturnType<typeof createWriter>;

/** Collects text with formatted ranges. */
function createWriter() {
  let text = '';
  const entities: MessageEntity[] = [];
  return {
    write(part: string, type?: 'bold') {
      if (type !== undefined && part !== '') entities.push({ type, offset: text.length, length: part.length });
      text += part;
    },
    finish: () => ({ text, entities }),
  };
}

const EXCERPT_UNITS = 600;

/** Leads to an entry: replies to its Telegram message with its beginning, or shows the file. */
export async function showEntry(services: BotServices, ctx: BotContext, entryId: string): Promise<ActionAnswer> {
  const found = await services.library.read(toOwner(ctx), entryId, { offset: 0, units: EXCERPT_UNITS });
  if (!found) return { hint: texts[ctx.locale].gone };
  const { key } = found.entry;
  if (key.kind !== 'file') return { afterwards: () => showText(services, ctx, found) };
  const file = await services.storage.find(key.fileId);
  if (file?.userId !== ctx.user.id) return { hint: texts[ctx.locale].gone };
  return {
    async afterwards() {
      const { text, entities = [], keyboard } = await toFileView(services, ctx, file);
      const options = { entities: [...entities], link_preview_options: { is_disabled: true } };
      await ctx.reply(text, { ...options, ...(keyboard && { reply_markup: keyboard }) });
    },
  };
}

async function showText(services: BotServices, ctx: BotContext, { entry, text, remaining }: EntryPart): Promise<void> {
  if (ctx.chatId === undefined) return;
  const { shownIn, conversationId, sentAt } = entry;
  const moment = formatMoment(ctx.locale, sentAt.getTime(), ctx.user.settings.timeZone);
  const excerpt = cutPage(text, { maxUnits: EXCERPT_UNITS }).page.text + (remaining > 0 ? '…' : '');
  const shown = [`${toEntryTitle(ctx, entry)}\n${moment}`, ...(excerpt === '' ? [] : [excerpt])].join('\n\n');
  const hasConversation = conversationId !== undefined && isPrivate(ctx);
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    hasConversation
      ? [{ text: texts[ctx.locale].buttons.conversation, action: { kind: 'show-thread', conversationId } }]
      : [],
  ]);
  const isHere = shownIn?.chatId === ctx.chatId;
  await ctx.reply(shown, {
    entities: [...markParts(shown, 'expandable_blockquote', excerpt)],
    link_preview_options: { is_disabled: true },
    // The user may have deleted the message.
    ...(isHere && {
      reply_parameters: { message_id: shownIn.telegramMessageId, allow_sending_without_reply: true },
    }),
    ...(hasConversation && { reply_markup: keyboard }),
  });
}

/** Characters of a title that fit on two lines of a phone. */
const MAX_TITLE_CHARACTERS = 60;

/** Returns the title of an entry, after a sign for its kind. */
function toEntryTitle(ctx: BotContext, { key, role, title }: LibraryEntry): string {
  const sign = key.kind === 'message' ? (role === 'user' ? '💬' : '🤖') : key.kind === 'attachment' ? '📄' : '🗂';
  const name = toOneLine(title ?? ctx.texts.untitled);
  return `${sign} ${shorten(name, MAX_TITLE_CHARACTERS)}`;
}
