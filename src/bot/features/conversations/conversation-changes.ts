import { Composer } from 'grammy';
import type { ChatTopic, ListedConversation } from '../../../core/conversations/index.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { isOutsideTopics, nameTopic, openTopic, toTitle } from '../../choices/topics.ts';
import { type ActionAnswer, type CallbackActionOf, onAction } from '../../kit/actions.ts';
import { toChatTopic, toChatTopicKey, toSendOptions } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog, type DialogSubject } from '../../kit/dialogs.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { findReachableConversation, mayTakeAway, toGoneConversation } from './own-conversation.ts';
import { texts } from './texts.ts';
import { toConversationMenu, toConversationName, toConversationView, toReminder } from './views.ts';

/** Buttons below a conversation: continue, rename, archive, delete. */
export function createConversationChanges(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'continue-thread', (ctx, pressed) => continueConversation(services, ctx, pressed)),
    onAction(services, 'rename-thread', async (ctx, { conversationId, listing }) => {
      if (!(await findReachableConversation(services, ctx, conversationId)))
        return toGoneConversation(services, ctx, listing);
      return {
        afterwards: () => beginDialog(services, ctx, 'thread-title', texts[ctx.locale].askTitle, conversationId),
      };
    }),
    onAction(services, 'archive-thread', async (ctx, { conversationId, listing, isArchived }) => {
      if (!(await findReachableConversation(services, ctx, conversationId)))
        return toGoneConversation(services, ctx, listing);
      await services.conversations.setArchived(conversationId, isArchived);
      return { afterwards: async () => showView(ctx, await toConversationMenu(services, ctx, listing ?? { page: 0 })) };
    }),
    onAction(services, 'delete-thread-for-good', (ctx, pressed) => deleteConversation(services, ctx, pressed)),
  );
  return composer;
}

/** Renames a conversation to the text that the user sent. */
export async function renameConversationByText(
  services: BotServices,
  ctx: BotContext,
  text: string,
  conversationId: DialogSubject,
) {
  const words = texts[ctx.locale];
  const conversation =
    typeof conversationId === 'number' ? await findReachableConversation(services, ctx, conversationId) : undefined;
  if (!conversation) return void (await ctx.reply(words.gone));
  const title = toTitle(text);
  if (title === undefined) return beginDialog(services, ctx, 'thread-title', words.badTitle, conversation.id);
  await services.conversations.renameConversation(conversation.id, title);
  await nameTopic(services, conversation, title);
  const view = await toConversationView(services, ctx, { ...conversation, title }, undefined);
  await showView(ctx, { ...view, text: `${view.text}\n\n${words.renamed}` });
}

/** Continues a conversation in the current topic, after a button was pressed or from a link. */
export async function continueConversation(
  services: BotServices,
  ctx: BotContext,
  { conversationId, listing }: Omit<CallbackActionOf<'continue-thread'>, 'kind'>,
): Promise<ActionAnswer> {
  const conversation = await findReachableConversation(services, ctx, conversationId);
  if (!conversation || !ctx.msg) return toGoneConversation(services, ctx, listing);
  const chatTopic = toChatTopic(ctx.msg);
  if (isOutsideTopics(ctx, chatTopic)) return { afterwards: () => continueInTopic(services, ctx, conversation) };
  // A running answer stays in the topic where it started, so the conversation can't move now.
  const isMoving = toChatTopicKey(chatTopic) !== toChatTopicKey(conversation.chatTopic);
  if (isMoving && (await isBeingWritten(services, conversationId))) return { hint: texts[ctx.locale].busy };
  await services.conversations.continueConversation(conversationId, chatTopic);
  return { afterwards: async () => showView(ctx, await toReminder(services, ctx, conversation)) };
}

/** Continues a conversation in its own topic, or in a new one if that topic was deleted. */
export async function continueInTopic(
  services: BotServices,
  ctx: BotContext,
  conversation: ListedConversation,
): Promise<void> {
  const { conversations } = services;
  const { chatId } = conversation.chatTopic;
  const title = toConversationName(ctx, conversation);
  const isInItsTopic =
    conversation.chatTopic.topicId !== undefined &&
    (await remindIn(services, ctx, conversation, conversation.chatTopic));
  if (isInItsTopic) await conversations.continueConversation(conversation.id, conversation.chatTopic);
  else {
    const chatTopic = await openTopic(services, chatId, title);
    await conversations.continueConversation(conversation.id, chatTopic ?? { chatId, topicId: undefined });
    if (!chatTopic) return showView(ctx, await toReminder(services, ctx, conversation));
    await conversations.setNamesTopic(conversation.id, true);
    await remindIn(services, ctx, conversation, chatTopic);
  }
  await showView(ctx, { text: texts[ctx.locale].continuedInTopic(title) });
}

/** Posts the reminder in a topic. @returns false if the topic was deleted. */
async function remindIn(
  services: BotServices,
  ctx: BotContext,
  conversation: ListedConversation,
  chatTopic: ChatTopic,
): Promise<boolean> {
  const { text, entities = [] } = await toReminder(services, ctx, conversation);
  try {
    await services.client.api.sendMessage(chatTopic.chatId, text, {
      ...toSendOptions(chatTopic),
      entities: [...entities],
    });
    return true;
  } catch (error) {
    if (classifyTelegramError(error).kind !== 'topic-gone') throw error;
    return false;
  }
}

async function deleteConversation(
  services: BotServices,
  ctx: BotContext,
  { conversationId, listing = { page: 0 } }: CallbackActionOf<'delete-thread-for-good'>,
): Promise<ActionAnswer> {
  const conversation = await findReachableConversation(services, ctx, conversationId);
  if (!conversation) return toGoneConversation(services, ctx, listing);
  if (!(await mayTakeAway(ctx, conversation))) return { hint: texts[ctx.locale].onlyOwner, isAlert: true };
  if (await isBeingWritten(services, conversationId)) return { hint: texts[ctx.locale].busy, isAlert: true };
  await services.conversations.deleteConversation(conversationId);
  const news = texts[ctx.locale].deleted(toConversationName(ctx, conversation));
  return { afterwards: async () => showView(ctx, await toConversationMenu(services, ctx, listing, news)) };
}

async function isBeingWritten({ answers, conversations }: BotServices, conversationId: number): Promise<boolean> {
  return (await conversations.listOpenAnswers(conversationId)).some((id) => answers.isUnderWay(id));
}
