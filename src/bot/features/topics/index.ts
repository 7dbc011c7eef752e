import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { defineFeature, type FeatureHandlers } from '../../framework/feature.ts';
import { toPlace } from '../../framework/place.ts';
import { toTitle } from '../../topics/thread-title.ts';

/**
 * Topics that people open and rename in a private chat: the name that they gave is the title of the conversation in it. One that
 * their app made up (`is_name_implicit`) is the bot's to change.
 */
export const topics = defineFeature({ create: createHandlers });

function createHandlers({ conversations }: Pick<BotDeps, 'conversations'>): FeatureHandlers {
  const composer = new Composer<BotContext>();
  const privately = composer.chatType('private');
  privately.on('message:forum_topic_created', async (ctx) => {
    const { name, is_name_implicit: isMadeUp } = ctx.message.forum_topic_created;
    const thread = await conversations.currentThread(toPlace(ctx.message), ctx.user.id);
    if (isMadeUp) return conversations.setNamesTopic(thread.id, true);
    const title = toTitle(name);
    if (title !== undefined) await conversations.giveTitle(thread.id, title);
  });
  privately.on('message:forum_topic_edited', async (ctx) => {
    const title = toTitle(ctx.message.forum_topic_edited.name ?? '');
    const thread = await conversations.findCurrentThread(toPlace(ctx.message));
    if (title === undefined || !thread) return;
    await conversations.renameThread(thread.id, title);
    await conversations.setNamesTopic(thread.id, false);
  });
  return { middleware: composer };
}
