import { Composer } from 'grammy';
import type { BotContext } from '../kit/context.ts';
import type { BotServices } from '../kit/services.ts';

/**
 * Drops replies to the bot in groups that have it answer mentions only. Runs after the dialogs, whose prompts expect
 * replies.
 */
export function createMentionsOnly({ messageParts }: BotServices): Composer<BotContext> {
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
