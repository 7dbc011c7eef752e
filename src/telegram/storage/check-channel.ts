import type { ChatFullInfo, ChatMember } from 'grammy/types';
import { toGrammySignal } from '../grammy-signal.ts';
import { classifyTelegramError } from '../telegram-errors.ts';
import { describeCallError, type StorageBot } from './storage-bot.ts';

/** Right without which a bot can't store files in a channel. */
export type MissingRight = 'not-an-administrator' | 'may-not-post' | 'may-not-delete';

/** Whether a bot can store files in a channel. `reason` is Telegram's, without the token. */
export type ChannelCheck =
  | { readonly kind: 'works'; readonly title: string }
  | { readonly kind: 'not-a-channel'; readonly title: string }
  /** `mayPost`: the bot can store files all the same, but not remove them, or it is a mere member of a group. */
  | { readonly kind: MissingRight; readonly title: string; readonly mayPost: boolean }
  /** The id is wrong, the bot is not in the channel, or its token was revoked. */
  | { readonly kind: 'unknown'; readonly reason: string }
  | { readonly kind: 'no-answer'; readonly reason: string };

/** Asks Telegram whether a bot has the required rights in a channel. Changes nothing and never throws. */
export async function checkChannel(
  bot: StorageBot,
  chatId: number,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<ChannelCheck> {
  const signal = options.signal && toGrammySignal(options.signal);
  try {
    const chat = await bot.api.getChat(chatId, signal);
    const title = chat.title ?? chat.first_name ?? 'a chat';
    if (chat.type !== 'channel' && chat.type !== 'supergroup') return { kind: 'not-a-channel', title };
    const member = await bot.api.getChatMember(chatId, bot.id, signal);
    const kind = findMissingRight(chat, member);
    return kind === undefined ? { kind: 'works', title } : { kind, title, mayPost: mayPost(chat, member) };
  } catch (error) {
    const failure = classifyTelegramError(error).kind;
    const isAnswer = failure === 'blocked' || failure === 'rejected' || failure === 'unauthorized';
    return { kind: isAnswer ? 'unknown' : 'no-answer', reason: describeCallError(error, bot) };
  }
}

function findMissingRight(chat: ChatFullInfo, member: ChatMember): MissingRight | undefined {
  if (member.status === 'creator') return undefined;
  if (member.status !== 'administrator') return 'not-an-administrator';
  if (chat.type === 'channel' && member.can_post_messages !== true) return 'may-not-post';
  return member.can_delete_messages ? undefined : 'may-not-delete';
}

function mayPost(chat: ChatFullInfo, member: ChatMember): boolean {
  if (member.status === 'administrator') return chat.type !== 'channel' || member.can_post_messages === true;
  if (chat.type === 'channel') return member.status === 'creator';
  return member.status === 'restricted'
    ? member.can_send_documents
    : member.status === 'member' || member.status === 'creator';
}
