import { type Bot, type StoredMessage, takeNumber, type World } from './world.ts';

const MAX_INLINE_MESSAGES = 1000;

/** Assigns an inline message id, by which a bot can edit the message without being in its chat. */
export function keepInlineMessage(world: World, bot: Bot, stored: StoredMessage): string {
  const id = Buffer.from(`inline ${takeNumber(world)} ${stored.body.message_id}`).toString('base64url');
  bot.inlineMessages.set(id, stored);
  for (const oldest of bot.inlineMessages.keys()) {
    if (bot.inlineMessages.size <= MAX_INLINE_MESSAGES) break;
    bot.inlineMessages.delete(oldest);
  }
  return id;
}
