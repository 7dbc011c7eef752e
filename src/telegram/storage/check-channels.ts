import { classifyTelegramError } from '../telegram-errors.ts';
import type { TelegramBlobStoreConfig, TelegramBlobStoreDeps } from './channel-blob-store.ts';
import { checkChannel, type MissingRight } from './check-channel.ts';
import { createStorageBot, describeCallError, type StorageBot } from './storage-bot.ts';

export interface ChannelsCheck {
  /** Passed checks, one line for each channel with its working bots. */
  readonly lines: readonly string[];
  /** Problems, each with the action that fixes it. */
  readonly problems: readonly string[];
}

/** Checks with Telegram that every bot has the required rights in every channel. Changes nothing and never throws. */
export async function checkChannels(
  deps: Pick<TelegramBlobStoreDeps, 'clock' | 'logger'>,
  config: Pick<TelegramBlobStoreConfig, 'botTokens' | 'chatIds' | 'apiRoot'>,
): Promise<ChannelsCheck> {
  const bots = config.botTokens.map((token) => createStorageBot(deps, { token, apiRoot: config.apiRoot }));
  try {
    const parts = await Promise.all(bots.map((bot) => checkBot(bot, config.chatIds)));
    return {
      lines: mergeLines(parts.flatMap(({ members }) => members)),
      problems: parts.flatMap(({ problems }) => problems),
    };
  } finally {
    for (const bot of bots) bot.close();
  }
}

interface ChannelMember {
  readonly channel: string;
  readonly botName: string;
}

interface BotCheck {
  /** Channels in which the bot has all required rights. */
  readonly members: readonly ChannelMember[];
  readonly problems: readonly string[];
}

async function checkBot(bot: StorageBot, chatIds: readonly number[]): Promise<BotCheck> {
  try {
    const botName = `@${(await bot.api.getMe()).username}`;
    const results = await Promise.all(chatIds.map((chatId) => checkPair(bot, botName, chatId)));
    return {
      members: results.flatMap((result) => (typeof result === 'string' ? [] : [result])),
      problems: results.filter((result) => typeof result === 'string'),
    };
  } catch (error) {
    const isUnknown = classifyTelegramError(error).kind === 'unauthorized';
    const reason = isUnknown ? 'its token is mistyped, or was revoked in @BotFather' : describeCallError(error, bot);
    return { members: [], problems: [`The bot ${bot.id} can't store files: ${reason}`] };
  }
}

const MISSING: Readonly<Record<MissingRight, string>> = {
  'not-an-administrator': 'it is not an administrator',
  'may-not-post': 'it lacks the right "Post messages"',
  'may-not-delete': 'it lacks the right "Delete messages": deleted files would stay there',
};

/** Returns the channel, or a description of the problem. */
async function checkPair(bot: StorageBot, botName: string, chatId: number): Promise<ChannelMember | string> {
  const check = await checkChannel(bot, chatId);
  if (check.kind === 'no-answer') return `${botName} can't be asked about the channel ${chatId}: ${check.reason}`;
  if (check.kind === 'unknown')
    return `${botName} does not know the channel ${chatId}: the id is wrong, or the bot is not in it. Add ${botName} to the channel as an administrator with the rights to post and to delete messages (Telegram: ${check.reason})`;
  const channel = `"${check.title}" (${chatId})`;
  if (check.kind === 'works') return { channel, botName };
  if (check.kind === 'not-a-channel')
    return `${channel} is not a channel: STORAGE_CHAT_IDS takes channels, preferably private ones used for nothing else`;
  return `${botName} can't store files in ${channel}: ${MISSING[check.kind]}. Channel settings, Administrators, ${botName}`;
}

function mergeLines(members: readonly ChannelMember[]): string[] {
  const botsByChannel = Map.groupBy(members, ({ channel }) => channel);
  return [...botsByChannel].map(([channel, found]) => `${channel}: ${found.map(({ botName }) => botName).join(', ')}`);
}
