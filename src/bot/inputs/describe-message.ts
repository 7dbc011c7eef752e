import type { Message, MessageOrigin } from 'grammy/types';
import { fromEntities } from '../../telegram/markdown/index.ts';
import { toForwarded } from './foreign-text.ts';

/** Content of a message from another chat: `external_reply` has most of a message's fields. */
type Content = Pick<Message, 'contact' | 'location' | 'venue' | 'poll' | 'dice' | 'checklist' | 'sticker'>;

/**
 * Describes a message that is neither text nor a file for a model: a venue, location, contact, poll, checklist, sticker
 * or dice. Undefined for others.
 */
export function describeContent(message: Content): string | undefined {
  const { contact, venue, location, poll, dice, checklist, sticker } = message;
  if (venue) return `[place] ${venue.title}, ${venue.address} (${toPoint(venue.location)})`;
  if (location) return `[location] ${toPoint(location)}${location.live_period ? ', shared live' : ''}`;
  if (contact) {
    const name = [contact.first_name, contact.last_name].filter(Boolean).join(' ');
    return `[contact] ${name}, ${contact.phone_number}`;
  }
  if (poll) {
    const options = poll.options.map(({ text, voter_count: votes }) => `- ${text}: ${votes}`);
    const state = `${poll.total_voter_count} voters${poll.is_closed ? ', closed' : ''}`;
    return [`[poll] ${poll.question} (${state})`, ...options].join('\n');
  }
  if (checklist) {
    const tasks = checklist.tasks.map((task) => `- [${task.completion_date ? 'x' : ' '}] ${task.text}`);
    return [`[checklist] ${checklist.title}`, ...tasks].join('\n');
  }
  if (sticker) return `[sticker${sticker.emoji === undefined ? '' : ` ${sticker.emoji}`}]`;
  return dice && `[dice] ${dice.emoji} shows ${dice.value}`;
}

/** Returns the text or caption of a message as Markdown; undefined if it has none. */
export function readFormatted({
  text = undefined,
  caption = undefined,
  entities,
  caption_entities: captionEntities,
}: Partial<Pick<Message, 'text' | 'entities' | 'caption' | 'caption_entities'>>): string | undefined {
  const written = text ?? caption;
  return written === undefined ? undefined : fromEntities({ text: written, entities: entities ?? captionEntities });
}

/** Describes the origin of a message that is forwarded or was written by an inline bot; undefined for others. */
export function describeOrigin({
  forward_origin: origin,
  via_bot: bot,
}: Pick<Message, 'forward_origin' | 'via_bot'>): string | undefined {
  if (origin) return toForwarded(nameOf(origin));
  return bot && toForwarded(bot.first_name);
}

function nameOf(origin: MessageOrigin): string {
  switch (origin.type) {
    case 'user':
      return [origin.sender_user.first_name, origin.sender_user.last_name].filter(Boolean).join(' ');
    case 'hidden_user':
      return origin.sender_user_name;
    case 'chat':
      return 'title' in origin.sender_chat ? (origin.sender_chat.title ?? 'a chat') : 'a chat';
    case 'channel':
      return origin.chat.title;
  }
}

function toPoint({ latitude, longitude }: { readonly latitude: number; readonly longitude: number }): string {
  return `${latitude}, ${longitude}`;
}
