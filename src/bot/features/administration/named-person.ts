import { isPerson } from '../../framework/address.ts';
import type { BotContext } from '../../framework/context.ts';

/** Whom a command of an admin is about, and the words behind it. */
export interface NamedPerson {
  readonly telegramId: number;
  readonly words: string;
}

/** Characters; the words are for the admins' own memory. */
const MAX_WORDS = 500;

/**
 * The person that a command names: by a Telegram id, by touching a name, or by the message that the command replies to (in a chat
 * with the bot: one that was forwarded here). Undefined where it names nobody.
 */
export function findNamedPerson(ctx: BotContext): NamedPerson | undefined {
  const text = ctx.match?.toString().trim() ?? '';
  const [, id, afterId = ''] = /^([1-9]\d{0,15})(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  if (id !== undefined) return toNamed(Number(id), afterId);
  const message = ctx.message;
  const mention = message?.entities?.find((entity) => entity.type === 'text_mention');
  if (mention?.type === 'text_mention') {
    const name = message?.text?.slice(mention.offset, mention.offset + mention.length) ?? '';
    return toNamed(mention.user.id, text.replace(name, ''));
  }
  const repliedTo = message?.reply_to_message;
  // In a topic every message formally replies to the service message that opened the topic.
  if (!repliedTo || repliedTo.forum_topic_created) return undefined;
  const forwarded = repliedTo.forward_origin;
  const author = forwarded?.type === 'user' ? forwarded.sender_user : repliedTo.from;
  return isPerson(author) && author.id !== ctx.from?.id ? toNamed(author.id, text) : undefined;
}

function toNamed(telegramId: number, words: string): NamedPerson {
  return { telegramId, words: words.trim().slice(0, MAX_WORDS) };
}
