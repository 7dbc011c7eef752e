import type { ChatFullInfo } from 'grammy/types';
import { toUserName } from '../../core/accounts/index.ts';
import { shorten } from '../../lib/text.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { toFullName, toShownName } from './names.ts';
import type { BotServices } from './services.ts';

const MAX_NAME_CHARACTERS = 40;
const CHAT_MS = 3000;

/**
 * Returns the name of a Telegram account or group for admins: the note about it, its stored name, or what Telegram says;
 * without one of them its id.
 */
export async function findAccountName(services: BotServices, telegramId: number): Promise<string> {
  const user = await services.accounts.findTelegramUser(telegramId);
  const name = toUserName(user ?? {}) ?? (await fetchName(services, telegramId));
  return name === undefined ? `${telegramId}` : shorten(toShownName(name), MAX_NAME_CHARACTERS);
}

/** Returns the name with the id, by which admins know which of two accounts or groups it is; without a name the id. */
export async function findNameAndId(services: BotServices, telegramId: number): Promise<string> {
  const name = await findAccountName(services, telegramId);
  return name === `${telegramId}` ? name : `${name} (${telegramId})`;
}

/** Asks Telegram for a chat. Returns undefined if it does not know the chat, or does not answer in time. */
export function findChat({ client }: Pick<BotServices, 'client'>, chatId: number): Promise<ChatFullInfo | undefined> {
  return client.api.getChat(chatId, toGrammySignal(AbortSignal.timeout(CHAT_MS))).catch(() => undefined);
}

async function fetchName(services: BotServices, telegramId: number): Promise<string | undefined> {
  const chat = await findChat(services, telegramId);
  if (chat?.first_name === undefined) return chat?.title;
  return toFullName({
    id: telegramId,
    is_bot: false,
    first_name: chat.first_name,
    ...(chat.last_name !== undefined && { last_name: chat.last_name }),
  });
}
