import { Composer, InputFile, type NextFunction } from 'grammy';
import { type ListedConversation, toConversationMarkdown } from '../../../core/conversations/index.ts';
import { readStartPayload } from '../../../lib/start-link.ts';
import { type ActionAnswer, type CallbackActionOf, onAction } from '../../kit/actions.ts';
import { isGroup, isPrivate, toChatTopic } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog } from '../../kit/dialogs.ts';
import type { FeatureHandlers } from '../../kit/feature.ts';
import { toSearch } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { continueByApi } from './continue-by-api.ts';
import { continueConversation, createConversationChanges, renameConversationByText } from './conversation-changes.ts';
import { toConversationMenu, toConversationName } from './conversation-menu.ts';
import { toConversationDeletion, toConversationView } from './conversation-view.ts';
import { findReachableConversation, mayTakeAway, toGoneConversation } from './own-conversation.ts';
import { texts } from './texts.ts';

const CONVERSATION_ID = /^\d{1,15}$/;

type Pressed = CallbackActionOf<'show-thread'> | CallbackActionOf<'export-thread'> | CallbackActionOf<'delete-thread'>;

/**
 * `/new` starts a conversation with an empty context in this topic. `/threads` shows a paged list of the chat's
 * conversations with search, a view of each, and an export as a file.
 */
export function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('new', (ctx) => startConversation(services, ctx));
  composer.command('threads', (ctx) => listConversations(services, ctx, ctx.match));
  composer.command('start', (ctx, next) => continueElsewhere(services, ctx, ctx.match, next));
  composer.use(
    onAction(services, 'new-conversation', (ctx) => ({ afterwards: () => startConversation(services, ctx) })),
    onAction(services, 'list-threads', (ctx, listing) => ({
      afterwards: async () => showView(ctx, await toConversationMenu(services, ctx, listing)),
    })),
    onAction(services, 'search-threads', (ctx) => ({
      afterwards: () => beginDialog(services, ctx, 'thread-search', texts[ctx.locale].askSearch),
    })),
    onAction(services, 'show-thread', async (ctx, { conversationId, listing }) => {
      const conversation = await findReachableConversation(services, ctx, conversationId);
      if (!conversation) return toGoneConversation(services, ctx, listing);
      return { afterwards: async () => showView(ctx, await toConversationView(services, ctx, conversation, listing)) };
    }),
    onAction(services, 'export-thread', (ctx, pressed) =>
      asOwner(services, ctx, pressed, (conversation) => sendRecord(services, ctx, conversation)),
    ),
    onAction(services, 'delete-thread', (ctx, pressed) =>
      asOwner(services, ctx, pressed, async (conversation) =>
        showView(ctx, await toConversationDeletion(services, ctx, conversation, pressed.listing)),
      ),
    ),
    onAction(services, 'continue-thread-by-api', (ctx, pressed) => continueByApi(services, ctx, pressed)),
    createConversationChanges(services),
  );
  return {
    middleware: composer,
    dialogs: {
      'thread-search': (ctx, text) => listConversations(services, ctx, text),
      'thread-title': (ctx, text, conversationId) => renameConversationByText(services, ctx, text, conversationId),
    },
  };
}

async function startConversation({ conversations }: BotServices, ctx: BotContext): Promise<void> {
  if (!ctx.msg) return;
  await conversations.startConversation(toChatTopic(ctx.msg), ctx.user.id);
  await ctx.reply(texts[ctx.locale].started);
}

/** Handles the link below an inline answer: the user who asked continues here. */
async function continueElsewhere(
  services: BotServices,
  ctx: BotContext,
  payload: string,
  next: NextFunction,
): Promise<void> {
  const id = readStartPayload(payload, 'continued');
  if (id === undefined || !CONVERSATION_ID.test(id) || !isPrivate(ctx)) return next();
  const conversation = await services.conversations.findConversation(Number(id));
  if (conversation && conversation.userId !== ctx.user.id) return void (await ctx.reply(texts[ctx.locale].notYours));
  const { hint, afterwards } = await continueConversation(services, ctx, { conversationId: Number(id) });
  if (hint !== undefined) await ctx.reply(hint);
  await afterwards?.();
}

/** Shows the conversations that contain all the words; all conversations if there are none. */
async function listConversations(services: BotServices, ctx: BotContext, written: string): Promise<void> {
  await showView(ctx, await toConversationMenu(services, ctx, { page: 0, search: toSearch(written) }));
}

async function asOwner(
  services: BotServices,
  ctx: BotContext,
  { conversationId, listing }: Pressed,
  afterwards: (conversation: ListedConversation) => Promise<unknown>,
): Promise<ActionAnswer> {
  const conversation = await findReachableConversation(services, ctx, conversationId);
  if (!conversation) return toGoneConversation(services, ctx, listing);
  if (!(await mayTakeAway(ctx, conversation))) return { hint: texts[ctx.locale].onlyOwner, isAlert: true };
  return { afterwards: () => afterwards(conversation) };
}

async function sendRecord(
  { conversations }: BotServices,
  ctx: BotContext,
  conversation: ListedConversation,
): Promise<void> {
  const title = toConversationName(ctx, conversation);
  const askedLabel = texts[ctx.locale].asked(ctx.chat !== undefined && isGroup(ctx.chat));
  const markdown = toConversationMarkdown({ title, ...(await conversations.readRecord(conversation.id)) }, askedLabel);
  await ctx.replyWithDocument(new InputFile(Buffer.from(markdown.toWellFormed()), toFileName(title)));
}

/** Returns a file name that all file systems, and Telegram, accept. */
function toFileName(title: string): string {
  const words = title.match(/[\p{L}\p{M}\p{N}-]+/gu) ?? ['conversation'];
  return `${words.join('_')}.md`;
}
