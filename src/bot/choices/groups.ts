import type { Message } from 'grammy/types';
import type { User } from '../../core/accounts/index.ts';
import type { GroupLookups } from '../../core/administration/index.ts';
import type { ChatTopic } from '../../core/conversations/index.ts';
import { findPayingPlan, type Group, type GroupMessage } from '../../core/groups/index.ts';
import { createCache } from '../../lib/async/cache.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import { describeContent, readFormatted } from '../inputs/describe-message.ts';
import { findChat } from '../kit/account-names.ts';
import type { BotContext } from '../kit/context.ts';
import { toFullName } from '../kit/names.ts';
import type { BotServices } from '../kit/services.ts';
import { findLocale, locales, type Texts } from '../texts/locales.ts';

/** Admins of groups, from Telegram with a short cache. */
export type ChatAdmins = ReturnType<typeof createChatAdmins>;

/** Avoids a request per callback query; a new admin waits this long at most. */
const TTL_MS = 20_000;

/** Bounds memory. */
const MAX_ENTRIES = 5000;

/** Returns the user with the group's settings in place of their own. */
export function asInGroup(user: User, group: Group | undefined): User {
  const { model, persona, systemPrompt, language } = group?.settings ?? {};
  const hasPromptSource = persona !== undefined || systemPrompt !== undefined;
  return {
    ...user,
    settings: {
      ...user.settings,
      ...(model !== undefined && { model }),
      ...(language !== undefined && { language }),
      ...(hasPromptSource && { persona, systemPrompt }),
    },
  };
}

/** Returns the group of a chat with its settings; undefined outside groups. */
export async function findGroup({ groups }: BotServices, { chatId }: ChatTopic): Promise<Group | undefined> {
  // Ids of groups are negative.
  return chatId < 0 ? groups.find(chatId) : undefined;
}

/** Returns the texts for a user in a chat without an update: in groups in the group's language if it has one. */
export async function findTexts(
  services: BotServices,
  { userId, chatTopic }: { readonly userId: number; readonly chatTopic: ChatTopic },
): Promise<Texts> {
  const group = await findGroup(services, chatTopic);
  const user = await services.accounts.findUser(userId);
  return locales[findLocale(group?.settings.language ?? user?.settings.language)];
}

/** Account that a request of a user in a chat is metered to. */
interface ChatRequester {
  readonly userId: number;
  readonly keyId: undefined;
  readonly chatId: number;
  readonly plan?: string;
  readonly isPaidByChat?: boolean;
}

/**
 * Returns the user's account, or the group's if the group pays.
 * @param group undefined outside groups.
 */
export function toRequester(
  { limits }: BotServices,
  { userId, chatTopic: { chatId } }: { readonly userId: number; readonly chatTopic: ChatTopic },
  group: Group | undefined,
): ChatRequester {
  const requester = { userId, keyId: undefined, chatId };
  const plan = group && findPayingPlan(group, limits.planNames);
  return plan === undefined ? requester : { ...requester, plan, isPaidByChat: true };
}

/** Returns whether the bot only gets messages addressed to it in this group (privacy mode). */
export async function hasPrivacyMode(ctx: BotContext): Promise<boolean> {
  // Not cached: the setting may have changed since the start.
  if ((await ctx.api.getMe()).can_read_all_group_messages) return false;
  const { status } = await ctx.getChatMember(ctx.me.id);
  return status !== 'administrator';
}

/** Returns a group message as one line of text; undefined for messages without content, such as joins. */
export function toGroupMessage(message: Message): GroupMessage | undefined {
  const author = toAuthor(message);
  const content = describeRecentMessages(message);
  if (!author || content === '') return undefined;
  const { message_id: telegramMessageId, date } = message;
  return { ...author, telegramMessageId, content, sentAt: new Date(date * 1000) };
}

function toAuthor({ from, sender_chat: channel, chat }: Message) {
  if (channel) {
    const name = channel.id === chat.id ? 'an admin' : 'title' in channel ? channel.title : undefined;
    return { authorId: channel.id, authorName: name ?? 'a channel' };
  }
  return from && { authorId: from.id, authorName: toFullName(from) + (from.is_bot ? ' (bot)' : '') };
}

function describeRecentMessages(message: Message): string {
  const text = readFormatted(message) ?? describeContent(message) ?? '';
  const content = [nameFile(message), text].filter(Boolean).join(' ').trim();
  const repliedTo = message.reply_to_message;
  const repliedToName = repliedTo && !repliedTo.forum_topic_created ? toAuthor(repliedTo)?.authorName : undefined;
  return content !== '' && repliedToName !== undefined ? `(to ${repliedToName}) ${content}` : content;
}

function nameFile(message: Message): string {
  const { document, audio } = message;
  if (message.photo) return '[photo]';
  if (message.animation) return '[animation]';
  if (message.video ?? message.video_note) return '[video]';
  if (message.voice) return '[voice message]';
  if (audio) return `[audio${audio.title === undefined ? '' : ` ${audio.title}`}]`;
  return document ? `[file${document.file_name === undefined ? '' : ` ${document.file_name}`}]` : '';
}

export function createChatAdmins({ client, clock, logger }: BotServices) {
  const cache = createCache<string, boolean>(clock, { max: MAX_ENTRIES, ttlMs: TTL_MS });

  const fetchIsAdmin = async (groupId: number, telegramId: number): Promise<boolean | undefined> => {
    try {
      const { status } = await client.api.getChatMember(groupId, telegramId);
      return status === 'creator' || status === 'administrator';
    } catch (error) {
      logger.debug({ err: error }, 'the admins of a chat could not be fetched');
      return undefined;
    }
  };

  return {
    /** Returns whether the user is an admin of the group; false if Telegram does not answer. */
    async has(groupId: number, telegramId: number): Promise<boolean> {
      const key = `${groupId}:${telegramId}`;
      const remembered = cache.get(key);
      if (remembered !== undefined) return remembered;
      const isAdmin = await fetchIsAdmin(groupId, telegramId);
      if (isAdmin !== undefined) cache.set(key, isAdmin);
      return isAdmin ?? false;
    },
  };
}

/** Creates the look-ups of groups in Telegram that access by a group needs. */
export function createGroupLookups({ client, logger }: Pick<BotServices, 'client' | 'logger'>): GroupLookups {
  const findTitle = async (groupId: number) => (await findChat({ client }, groupId))?.title;
  const findMember: GroupLookups['findMember'] = async (groupId, telegramId) => {
    try {
      const member = await client.api.getChatMember(groupId, telegramId);
      if (member.status === 'restricted') return member.is_member;
      return member.status === 'creator' || member.status === 'administrator' || member.status === 'member';
    } catch (error) {
      logger.debug({ err: error }, 'a member of a group could not be looked up');
      const { kind } = classifyTelegramError(error);
      // The account is unknown there, or the bot has left the group.
      return kind === 'rejected' || kind === 'blocked' ? false : undefined;
    }
  };
  return { findMember, findTitle };
}
