import { Composer } from 'grammy';
import { z } from 'zod';
import type { ChatTopic, ListedConversation } from '../../../core/conversations/index.ts';
import { type SharedConversation, TooManyPagesError } from '../../../core/shared-conversations/index.ts';
import { readStartPayload } from '../../../lib/start-link.ts';
import { isOutsideTopics, toTitle } from '../../choices/topics.ts';
import { type ActionAnswer, type CallbackActionOf, type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import { isGroup, isPrivate, toChatTopic } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import { type ActionButton, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { leadToPrivate, showView, type View } from '../../kit/views.ts';
import { continueInTopic } from '../conversations/conversation-changes.ts';
import { type ConversationListing, conversation } from '../conversations/feature.ts';
import { findReachableConversation, toGoneConversation } from '../conversations/own-conversation.ts';
import { texts as conversationTexts } from '../conversations/texts.ts';
import { toConversationName, toReminder } from '../conversations/views.ts';
import { toFileMenu } from '../files/file-menu.ts';
import { toFileView } from '../files/views.ts';
import { describeSaveFailure, toSaveFailure } from '../save/views.ts';
import { countImages, listShareable, MAX_IMAGES, takeSnapshot } from './take-snapshot.ts';
import { texts } from './texts.ts';

const actions = {
  /** Asks for confirmation. */
  'share-thread': { fields: conversation },
  /** `headId` is the newest message at the time of the confirmation. */
  'share-thread-now': { fields: { conversationId: z.number(), headId: z.number(), hasImages: z.boolean() } },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/**
 * `/share`, and the button below a conversation: publishes the conversation so far as a page that every owner of the
 * link can read. The page links back to the bot, where a reader continues with a copy.
 */
export const share: Feature = {
  commands: [{ name: 'share', menus: ['private'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('share', async (ctx) => {
    if (!isPrivate(ctx)) return leadToPrivate(ctx, texts[ctx.locale].onlyPrivate);
    const current = await services.conversations.findCurrentConversation(toChatTopic(ctx.msg));
    const conversation = current && (await services.conversations.findListedConversation(current.id));
    await showView(
      ctx,
      (conversation && (await toShareQuestion(services, ctx, conversation))) ?? (await toNothing(services, ctx)),
    );
  });
  composer.command('start', (ctx, next) => {
    const pageId = readStartPayload(ctx.match, 'page');
    return pageId === undefined || isGroup(ctx.chat)
      ? next()
      : copyConversation(services, ctx, toChatTopic(ctx.msg), pageId);
  });
  composer.use(
    onAction(services, 'share-thread', async (ctx, { conversationId, listing }) => {
      if (!isPrivate(ctx)) return { hint: texts[ctx.locale].onlyPrivate, isAlert: true };
      const conversation = await findReachableConversation(services, ctx, conversationId);
      const view = conversation && (await toShareQuestion(services, ctx, conversation, listing ?? { page: 0 }));
      return view ? { afterwards: () => showView(ctx, view) } : toGoneConversation(services, ctx, listing);
    }),
    onAction(services, 'share-thread-now', (ctx, pressed) => shareNow(services, ctx, pressed)),
  );
  return { middleware: composer };
}

/** Returns a note that there is nothing to share, with the list of shared conversations if there are any. */
async function toNothing(services: BotServices, ctx: BotContext): Promise<View> {
  const { nothing } = texts[ctx.locale];
  if ((await services.sharedConversations.count(ctx.user.id)) === 0) return { text: nothing };
  const menu = await toFileMenu(services, ctx, { page: 0, isOfPages: true });
  return { ...menu, text: `${nothing}\n\n${menu.text}` };
}

async function shareNow(
  services: BotServices,
  ctx: BotContext,
  pressed: CallbackActionOf<'share-thread-now'>,
): Promise<ActionAnswer> {
  const conversation = await findReachableConversation(services, ctx, pressed.conversationId);
  const head = await services.conversations.findMessage(pressed.headId);
  if (!conversation || head?.conversationId !== conversation.id || !isPrivate(ctx))
    return toGoneConversation(services, ctx);
  return {
    afterwards: async () => {
      // Removes the buttons, so that a second press creates no second page.
      await showView(ctx, { text: texts[ctx.locale].making });
      await showView(ctx, await toPageView(services, ctx, conversation, pressed));
    },
  };
}

const TIMEOUT_MS = 60_000;

async function toPageView(
  services: BotServices,
  ctx: BotContext,
  conversation: ListedConversation,
  { headId, hasImages }: CallbackActionOf<'share-thread-now'>,
): Promise<View> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const messages = await takeSnapshot(services, await listShareable(services, headId), { hasImages }, signal);
    const options = {
      userId: ctx.user.id,
      title: toConversationName(ctx, conversation),
      botUsername: ctx.me.username,
      messages,
    };
    const page = await services.sharedConversations.share(options, signal);
    return await toFileView(services, ctx, page, page.ownerKey);
  } catch (error) {
    if (error instanceof TooManyPagesError) return { text: texts[ctx.locale].tooMany(error.limit) };
    const failure = toSaveFailure(error);
    if (failure.kind === 'internal') services.logger.error({ err: error }, 'a conversation could not be shared');
    return { text: describeSaveFailure(ctx.texts, failure) };
  }
}

/**
 * Asks the user to confirm, and says what readers will see.
 * @param listing list that the conversation was opened from; undefined for the command.
 * @returns undefined if the conversation is empty.
 */
async function toShareQuestion(
  services: BotServices,
  ctx: BotContext,
  conversation: ListedConversation,
  listing?: ConversationListing,
): Promise<View | undefined> {
  const { buttons } = ctx.texts;
  const words = texts[ctx.locale];
  const head = await services.conversations.findLatestMessage(conversation.id);
  const messages = head ? await listShareable(services, head.id) : [];
  if (!head || messages.length === 0) return undefined;
  const imageCount = countImages(messages);
  const chosen = { kind: 'share-thread-now', conversationId: conversation.id, headId: head.id } as const;
  const pageCount = await services.sharedConversations.count(ctx.user.id);
  const pages: ActionButton = {
    text: words.buttons.pages(pageCount),
    action: { kind: 'list-files', page: 0, isOfPages: true },
  };
  const back: ActionButton = listing
    ? { text: buttons.back, action: { kind: 'show-thread', conversationId: conversation.id, listing } }
    : { text: buttons.cancel, action: { kind: 'close-menu' } };
  const withImages: ActionButton = {
    text: words.buttons.withImages(Math.min(imageCount, MAX_IMAGES)),
    action: { ...chosen, hasImages: true },
  };
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    [{ text: words.buttons.now, action: { ...chosen, hasImages: false } }, ...(imageCount > 0 ? [withImages] : [])],
    [...(pageCount > 0 ? [pages] : []), back],
  ]);
  const lines = [
    words.ask(toConversationName(ctx, conversation), messages.length),
    words.nameless,
    ...(imageCount > 0 ? [words.imageNote(imageCount, MAX_IMAGES)] : []),
    '',
    words.removable,
    ...(services.isReachable === false ? ['', words.unreachable(services.cloudUrl)] : []),
  ];
  return { text: lines.join('\n'), keyboard };
}

const PAGE_ID = /^[\w-]{22}$/;
const READ_TIMEOUT_MS = 30_000;

/** `/start c_<id>`, the link of a page: starts a conversation with a copy of the shared one. */
async function copyConversation(
  services: BotServices,
  ctx: BotContext,
  chatTopic: ChatTopic,
  pageId: string,
): Promise<void> {
  const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
  const page = PAGE_ID.test(pageId) ? await services.sharedConversations.find(pageId, signal) : undefined;
  if (!page) return void (await ctx.reply(texts[ctx.locale].unknown));
  const title = toTitle(page.title) ?? ctx.texts.untitled;
  const messages = toCopied(ctx, page.conversation);
  const conversationId = await services.conversations.startCopiedConversation(chatTopic, ctx.user.id, {
    title,
    messages,
  });
  const conversation = await services.conversations.findListedConversation(conversationId);
  if (!conversation) return void (await ctx.reply(texts[ctx.locale].unknown));
  if (isOutsideTopics(ctx, chatTopic)) return continueInTopic(services, ctx, conversation);
  await showView(ctx, await toReminder(services, ctx, conversation, texts[ctx.locale].taken(title)));
}

/** More messages than usually fit into a model's context. */
const MAX_MESSAGES = 100;

/** Converts the messages to model input; a message without text gets a placeholder for its image. */
function toCopied({ locale }: BotContext, { messages }: SharedConversation) {
  return messages
    .slice(-MAX_MESSAGES)
    .map(({ role, model, content }) => ({ role, model, content: content || conversationTexts[locale].photo }));
}
