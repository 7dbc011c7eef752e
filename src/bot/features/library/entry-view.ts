import type { EntryPart } from '../../../core/library/index.ts';
import { cutPage } from '../../../telegram/markdown/index.ts';
import type { ActionAnswer } from '../../kit/actions.ts';
import { isPrivate, toOwner } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts } from '../../kit/views.ts';
import { formatMoment } from '../../texts/moment.ts';
import { toFileView } from '../files/views.ts';
import { toEntryTitle } from './entry-title.ts';
import { texts } from './texts.ts';

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
