import { Composer } from 'grammy';
import { findAddress } from '../framework/address.ts';
import type { BotContext } from '../framework/context.ts';

/**
 * Drops replies to the bot in groups that have it answer mentions only. Runs after the dialogs, whose prompts expect
 * replies.
 */
export function createMentionsOnly(): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer
    .on('message')
    .filter(
      ({ group, message, me }) => group?.settings.answersReplies === false && findAddress(message, me) === 'reply',
    )
    .use(() => {});
  return composer;
}
