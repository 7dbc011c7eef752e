import type { InlineKeyboardButton, Update } from '@grammyjs/types';
import { forgetOldQueries } from '../bot-api/methods/queries.ts';
import type { ButtonPress, ButtonPressed } from '../control-protocol.ts';
import { toApiUser, toBotMessage } from '../world/views.ts';
import { type Bot, type StoredMessage, takeNumber, type World } from '../world/world.ts';
import { invalid, notFound } from './control-failure.ts';
import { choosePerson } from './write-as-person.ts';

/**
 * Presses an inline button as a user: sends a callback query to its bot, or returns the action of the app (open a link,
 * copy a text). @throws ControlFailure
 */
export function pressButton(world: World, stored: StoredMessage, press: ButtonPress): ButtonPressed {
  const person = choosePerson(world, stored.chat, press.from);
  const button = findButton(stored, press);
  if ('url' in button) return { url: button.url };
  if ('login_url' in button) return { url: button.login_url.url };
  if ('copy_text' in button) return { copiedText: button.copy_text.text };
  if (!('callback_data' in button)) return {};
  const { bot, inlineMessageId } = findOwner(world, stored);
  forgetOldQueries(world, bot);
  const id = `${bot.id}${1_000_000 + takeNumber(world)}`;
  bot.callbackQueries.set(id, {
    id,
    personId: person.id,
    chatId: stored.chat.id,
    createdAt: world.clock.now(),
  });
  bot.updates.push(
    'callback_query',
    (updateId): Update => ({
      update_id: updateId,
      callback_query: {
        id,
        from: toApiUser(person),
        ...(inlineMessageId === undefined
          ? { message: toBotMessage(bot, stored.body) }
          : { inline_message_id: inlineMessageId }),
        chat_instance: String(stored.chat.id * 1000),
        data: button.callback_data,
      },
    }),
  );
  return { callbackQueryId: id };
}

function findButton(stored: StoredMessage, press: ButtonPress): InlineKeyboardButton {
  const rows = stored.body.reply_markup?.inline_keyboard ?? [];
  const byData = rows.flat().find((button) => 'callback_data' in button && button.callback_data === press.data);
  const button = press.data === undefined ? rows[press.row ?? 0]?.[press.column ?? 0] : byData;
  if (!button) throw notFound('button');
  return button;
}

/** Returns the bot that wrote the message, or that it was sent via. */
function findOwner(world: World, stored: StoredMessage): { bot: Bot; inlineMessageId?: string } {
  for (const bot of world.bots) {
    for (const [inlineMessageId, message] of bot.inlineMessages) {
      if (message === stored) return { bot, inlineMessageId };
    }
    if (bot.id === stored.authorBotId) return { bot };
  }
  throw invalid('the message belongs to no bot');
}
