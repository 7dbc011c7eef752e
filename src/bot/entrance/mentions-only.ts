import { Composer } from 'grammy';
import { findAddress } from '../framework/address.ts';
import type { BotContext } from '../framework/context.ts';

/**
 * Where a group has the bot answer mentions only, replies to it are talk of others, whatever is in them. Behind the dialogs: a reply
 * to a question of the bot's is meant for it.
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
