import { Composer } from 'grammy';
import type { BotContext } from '../framework/context.ts';
import type { MessageParts } from '../inputs/message-parts.ts';

/**
 * Drops replies to the bot in groups that have it answer mentions only. Runs after the dialogs, whose prompts expect
 * replies.
 */
export function createMentionsOnly({ messageParts }: { readonly messageParts: MessageParts }): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer
    .on('message')
    .filter(
      ({ group, message, me }) =>
        group?.settings.answersReplies === false && messageParts.findAddress(message, me) === 'reply',
    )
    .use(() => {});
  return composer;
}
