import { Composer } from 'grammy';
import { toTitle } from '../choices/topics.ts';
import { toChatTopic } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { Feature, FeatureHandlers } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';

/**
 * Topics that users create and rename in a private chat: their name becomes the title of the conversation. The bot may
 * rename a topic whose name the app has generated (`is_name_implicit`).
 */
export const topics: Feature = { create: createHandlers };

function createHandlers({ conversations }: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  const privately = composer.chatType('private');
  privately.on('message:forum_topic_created', async (ctx) => {
    const { name, is_name_implicit: isImplicit } = ctx.message.forum_topic_created;
    const conversation = await conversations.currentConversation(toChatTopic(ctx.message), ctx.user.id);
    if (isImplicit) return conversations.setNamesTopic(conversation.id, true);
    const title = toTitle(name);
    if (title !== undefined) await conversations.giveTitle(conversation.id, title);
  });
  privately.on('message:forum_topic_edited', async (ctx) => {
    const title = toTitle(ctx.message.forum_topic_edited.name ?? '');
    const conversation = await conversations.findCurrentConversation(toChatTopic(ctx.message));
    if (title === undefined || !conversation) return;
    await conversations.renameConversation(conversation.id, title);
    await conversations.setNamesTopic(conversation.id, false);
  });
  return { middleware: composer };
}
