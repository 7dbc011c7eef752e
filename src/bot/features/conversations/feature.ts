import { Composer, InputFile, type NextFunction } from 'grammy';
import { z } from 'zod';
import { type ListedConversation, toConversationMarkdown } from '../../../core/conversations/index.ts';
import { readStartPayload } from '../../../lib/start-link.ts';
import { type ActionAnswer, type CallbackActionOf, type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import { isGroup, isPrivate, toChatTopic } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog } from '../../kit/dialogs.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import { toSearch } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, showView } from '../../kit/views.ts';
import { continueConversation, createConversationChanges, renameConversationByText } from './conversation-changes.ts';
import { findReachableConversation, mayTakeAway, toGoneConversation } from './own-conversation.ts';
import { texts } from './texts.ts';
import { toConversationDeletion, toConversationMenu, toConversationName, toConversationView } from './views.ts';

/** Page of a chat's conversations, from 0. */
const listing = {
  page: z.number(),
  /** Words to search for. */
  search: z.string().optional(),
  isArchived: z.boolean().optional(),
};

/** Conversation, and the list that it was opened from. */
export const conversation = { conversationId: z.number(), listing: z.object(listing).optional() };

const actions = {
  'new-conversation': { fields: {} },
  'list-threads': { fields: listing },
  'search-threads': { fields: {} },
  'show-thread': { fields: conversation },
  'continue-thread': { fields: conversation },
  'rename-thread': { fields: conversation },
  'archive-thread': { fields: { ...conversation, isArchived: z.boolean() } },
  'export-thread': { fields: conversation },
  /** Shows the id by which the API continues it. */
  'continue-thread-by-api': { fields: conversation },
  /** Asks for confirmation. */
  'delete-thread': { fields: conversation },
  'delete-thread-for-good': { fields: conversation },
};

export type ConversationListing = Omit<CallbackActionsOf<typeof actions>['list-threads'], 'kind'>;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'thread-search': never;
    'thread-title': never;
  }
}

/**
 * `/new` starts a conversation with an empty context in this topic. `/threads` shows a paged list of the chat's
 * conversations with search, a view of each, and an export as a file.
 */
export const conversations: Feature = {
  commands: [
    { name: 'new', menus: ['private', 'group'], describe: (locale) => texts[locale].commands.new },
    { name: 'threads', menus: ['private', 'group'], describe: (locale) => texts[locale].commands.threads },
  ],
  actions,
  create: createHandlers,
};

const CONVERSATION_ID = /^\d{1,15}$/;

type Pressed = CallbackActionOf<'show-thread'> | CallbackActionOf<'export-thread'> | CallbackActionOf<'delete-thread'>;

function createHandlers(services: BotServices): FeatureHandlers {
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
    onSettled: (answer) => services.titles.begin(answer),
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
  const markdown = toConversationMarkdown({ title, ...(await conversations.readHistory(conversation.id)) }, askedLabel);
  await ctx.replyWithDocument(new InputFile(Buffer.from(markdown.toWellFormed()), toFileName(title)));
}

/** Returns a file name that all file systems, and Telegram, accept. */
function toFileName(title: string): string {
  const words = title.match(/[\p{L}\p{M}\p{N}-]+/gu) ?? ['conversation'];
  return `${words.join('_')}.md`;
}

/** Shows the response id of the last answer of a private conversation. */
async function continueByApi(
  services: BotServices,
  ctx: BotContext,
  { conversationId, listing }: CallbackActionOf<'continue-thread-by-api'>,
): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  const conversation = isPrivate(ctx) ? await findReachableConversation(services, ctx, conversationId) : undefined;
  if (!conversation) return toGoneConversation(services, ctx, listing);
  const answerId = await findLastAnswerId(services, conversationId);
  if (answerId === undefined) return { hint: words.noAnswerYet, isAlert: true };
  const id = await services.responses.ensureForAnswer(ctx.user.id, answerId);
  const text = words.continueByApi(id, `${services.apiUrl}/responses`);
  return { afterwards: () => showView(ctx, { text, entities: markParts(text, 'code', id) }) };
}

/** Returns the newest finished answer of the visible branch. */
async function findLastAnswerId({ conversations }: BotServices, conversationId: number): Promise<number | undefined> {
  const latest = await conversations.findLatestMessage(conversationId);
  const path = latest ? await conversations.listPath(latest.id) : [];
  return path.findLast(({ role, finishReason }) => role === 'assistant' && finishReason !== undefined)?.id;
}
