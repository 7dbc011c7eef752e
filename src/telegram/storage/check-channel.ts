import type { ChatFullInfo, ChatMember } from 'grammy/types';
import { classifyTelegramError } from '../telegram-errors.ts';
import { describeCallError, type StorageBot } from './storage-bot.ts';

/** Right without which a bot can't store files in a channel. */
export type MissingRight = 'not-an-administrator' | 'may-not-post' | 'may-not-delete';

/** Whether a bot can store files in a channel. `reason` is Telegram's, without the token. */
export type ChannelCheck =
  | { readonly kind: 'works'; readonly title: string }
  | { readonly kind: 'not-a-channel'; readonly title: string }
  | { readonly kind: MissingRight; readonly title: string }
  /** The id is wrong, or the bot is not in the channel. */
  | { readonly kind: 'unknown'; readonly reason: string }
  | { readonly kind: 'no-answer'; readonly reason: string };

/** Asks Telegram whether a bot has the required rights in a channel. Changes nothing and never throws. */
export async function checkChannel(bot: StorageBot, chatId: number): Promise<ChannelCheck> {
  try {
    const chat = await bot.api.getChat(chatId);
    const title = chat.title ?? chat.first_name ?? 'a chat';
    if (chat.type !== 'channel' && chat.type !== 'supergroup') return { kind: 'not-a-channel', title };
    const member = await bot.api.getChatMember(chatId, bot.id);
    return { kind: findMissingRight(chat, member) ?? 'works', title };
  } catch (error) {
    const failure = classifyTelegramError(error).kind;
    const kind = failure === 'blocked' || failure === 'rejected' ? 'unknown' : 'no-answer';
    return { kind, reason: describeCallError(error, bot) };
  }
}

function findMissingRight(chat: ChatFullInfo, member: ChatMember): MissingRight | undefined {
  if (member.status === 'creator') return undefined;
  if (member.status !== 'administrator') return 'not-an-administrator';
  if (chat.type === 'channel' && member.can_post_messages !== true) return 'may-not-post';
  return member.can_delete_messages ? undefined : 'may-not-delete';
}
