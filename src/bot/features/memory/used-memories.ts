import { Composer } from 'grammy';
import { type ActionAnswer, onAction } from '../../kit/actions.ts';
import { toOwner } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { BotServices } from '../../kit/services.ts';
import { isOfThisChat } from '../conversations/own-conversation.ts';
import { toListKeyboard } from './memory-menu.ts';
import { texts } from './texts.ts';

/** Leaves space in a message for the other lines. */
const MAX_CHARACTERS = 3500;

/** Handles 🧠 below an answer: lists the memories that its model was given. */
export function createUsedMemories(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'show-used-memories', async (ctx, { answerId }): Promise<ActionAnswer> => {
      const answer = await services.conversations.findMessage(answerId);
      if (!answer || !(await isOfThisChat(services, ctx, answer.conversationId)))
        return { hint: ctx.texts.staleButton };
      return { afterwards: () => listUsed(services, ctx, answer.extras.memoryIds ?? []) };
    }),
  );
  return composer;
}

/** Replies to the answer with its memories, newest first. Those that were deleted since are only counted. */
async function listUsed(services: BotServices, ctx: BotContext, memoryIds: readonly number[]): Promise<void> {
  const words = texts[ctx.locale];
  const all = await services.memories.list(toOwner(ctx));
  const used = all.filter(({ id }) => memoryIds.includes(id)).toReversed();
  const lines: string[] = [];
  let characters = 0;
  for (const { text } of used) {
    characters += text.length + 3;
    if (characters > MAX_CHARACTERS) break;
    lines.push(`• ${text}`);
  }
  const goneCount = memoryIds.length - used.length;
  const text = [
    words.used,
    '',
    ...lines,
    ...(lines.length < used.length ? [words.more(used.length - lines.length)] : []),
    ...(goneCount > 0 ? [words.deletedSince(goneCount)] : []),
  ].join('\n');
  await ctx.reply(text, {
    link_preview_options: { is_disabled: true },
    reply_markup: await toListKeyboard(services, ctx),
    ...(ctx.msgId !== undefined && {
      reply_parameters: { message_id: ctx.msgId, allow_sending_without_reply: true },
    }),
  });
}
