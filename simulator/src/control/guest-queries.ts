import type { Message } from '@grammyjs/types';
import { forgetOldQueries } from '../bot-api/methods/queries.ts';
import { pushMessage } from '../world/messages.ts';
import { type Bot, type StoredMessage, takeNumber, type World } from '../world/world.ts';

/** Sends a guest query to every bot that a new message mentions and that is not in the chat. */
export function summonGuests(world: World, stored: StoredMessage): void {
  for (const bot of world.bots) {
    if (!bot.guestMode || isThere(bot, stored) || !isNamed(bot, stored.body)) continue;
    forgetOldQueries(world, bot);
    const id = `${bot.id}${1_000_000 + takeNumber(world)}`;
    bot.guestQueries.set(id, { id, asked: stored, createdAt: world.clock.now() });
    pushMessage(bot, 'guest_message', { ...stored.body, guest_query_id: id });
  }
}

function isThere(bot: Bot, { chat }: StoredMessage): boolean {
  const status = chat.botStatuses.get(bot.id);
  return chat.type === 'private' || chat.type === 'channel' || status === 'member' || status === 'administrator';
}

function isNamed({ username }: Bot, body: Message): boolean {
  const text = body.text ?? body.caption ?? '';
  const name = `@${username}`.toLowerCase();
  return (body.entities ?? body.caption_entities ?? []).some(
    ({ type, offset, length }) => type === 'mention' && text.slice(offset, offset + length).toLowerCase() === name,
  );
}
