import type { Memory } from '../../../core/memory/index.ts';
import { findMessageLink } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { type KeyboardButton, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import type { View } from '../../kit/views.ts';
import { formatMoment } from '../../texts/moment.ts';
import { findTimeZone } from '../../time-zones/time-zones.ts';
import type { MemoryListing } from './actions.ts';
import { mayChange } from './memory-owner.ts';
import { texts } from './texts.ts';

/** Returns a memory with its origin, and the actions that the user may take. */
export async function toMemoryView(
  services: BotServices,
  ctx: BotContext,
  memory: Memory,
  { page, search, back }: MemoryListing,
  /** Sentence below the memory. */
  news?: string,
): Promise<View> {
  const words = texts[ctx.locale];
  const { id: memoryId, authorId, updatedAt } = memory;
  const moment = formatMoment(
    ctx.locale,
    updatedAt.getTime(),
    findTimeZone(ctx.user.settings, ctx.from?.language_code).timeZone,
  );
  const isOwn = !ctx.group || authorId === ctx.user.id;
  const facts = isOwn ? words.fromYou(moment) : words.fromMember(moment);
  const origin = memory.hasForeignText ? [words.fromForeignText] : [];
  const text = [memory.text, '', facts, ...origin, ...(news === undefined ? [] : ['', news])].join('\n');
  const changes: readonly KeyboardButton[] = [
    { text: words.buttons.edit, action: { kind: 'edit-memory', memoryId } },
    { text: words.buttons.delete, action: { kind: 'delete-memory', memoryId, page, search, back } },
  ];
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    toSourceButtons(ctx, memory),
    (await mayChange(ctx, memory)) ? changes : [],
    [{ text: ctx.texts.buttons.back, action: { kind: 'list-memories', page, search, back } }],
  ]);
  return { text, keyboard };
}

/**
 * Returns the button that leads to the message of a memory. Telegram has links to messages of supergroups only; in
 * private chats the bot replies to the message instead. Messages of basic groups can't be reached once the group has
 * become a supergroup.
 */
function toSourceButtons(ctx: BotContext, { id: memoryId, source }: Memory): readonly KeyboardButton[] {
  const text = texts[ctx.locale].buttons.source;
  if (!source || source.chatId !== ctx.chatId) return [];
  const url = findMessageLink(source.chatId, source.telegramMessageId);
  if (url !== undefined) return [{ text, url }];
  return [{ text, action: { kind: 'show-memory-source', memoryId } }];
}
