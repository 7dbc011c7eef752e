import type { ChatFullInfo, ChatMember } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { publishChat } from '../../world/chats.ts';
import {
  listAdministrators,
  PERMISSION_NAMES,
  setBotStatus,
  setMembership,
  setRestriction,
  toApiMember,
} from '../../world/members.ts';
import { addMessage } from '../../world/messages.ts';
import { toApiBotUser, toApiChat, toBotMessage } from '../../world/views.ts';
import { type Chat, unixTime } from '../../world/world.ts';
import type { Call, MethodHandler } from '../call.ts';
import { readBoolean, readInteger, readObject, readString } from '../params.ts';
import { checkAccess, checkAdministrator, readChat } from '../targets.ts';

type FullInfo = Partial<ChatFullInfo> & Pick<ChatFullInfo, 'id' | 'type'>;

function getChat(call: Call): FullInfo {
  const chat = readChat(call);
  if (chat.type !== 'private') checkAccess(call, chat, 'read');
  const pinned = chat.messages.get(chat.pinnedMessageIds.at(-1) ?? 0);
  const info: FullInfo = {
    ...toApiChat(call.world, chat),
    accent_color_id: 0,
    max_reaction_count: 11,
    accepted_gift_types: {
      unlimited_gifts: false,
      limited_gifts: false,
      unique_gifts: false,
      premium_subscription: false,
      gifts_from_channels: false,
    },
  };
  if (chat.username !== undefined) info.active_usernames = [chat.username];
  if (chat.description !== '') info.description = chat.description;
  if (pinned) info.pinned_message = toBotMessage(call.bot, pinned.body);
  return info;
}

function getChatMember(call: Call): ChatMember {
  const chat = readChat(call);
  checkAccess(call, chat, 'read');
  const userId = readInteger(call.params, 'user_id');
  if (userId === undefined) throw badRequest('invalid user_id specified');
  const member = toApiMember(call.world, chat, userId);
  if (!member) throw badRequest('member not found');
  return member;
}

function readGroup(call: Call): Chat {
  const chat = readChat(call);
  checkAccess(call, chat, 'read');
  if (chat.type === 'private') throw badRequest('there are no administrators in the private chat');
  return chat;
}

function getChatAdministrators(call: Call): ChatMember[] {
  return listAdministrators(call.world, readGroup(call), call.bot);
}

function getChatMemberCount(call: Call): number {
  const chat = readChat(call);
  checkAccess(call, chat, 'read');
  return chat.memberIds.size + 1;
}

function leaveChat(call: Call): true {
  const chat = readChat(call);
  if (chat.type === 'private') throw badRequest("chat member status can't be changed in private chats");
  checkAccess(call, chat, 'read');
  setBotStatus(call.world, { chat, bot: call.bot, status: 'left', by: toApiBotUser(call.bot) });
  return true;
}

function readManagedChat(call: Call, right: string): Chat {
  const chat = readChat(call);
  checkAccess(call, chat);
  if (chat.type === 'private') throw badRequest(`can't ${right} in private chats`);
  checkAdministrator(call, chat, right);
  return chat;
}

function setChatTitle(call: Call): true {
  const chat = readManagedChat(call, 'change chat title');
  const title = readString(call.params, 'title')?.trim() ?? '';
  if (title === '') throw badRequest("title can't be empty");
  if (title.length > 128) throw badRequest('title is too long');
  if (title === chat.title) throw badRequest('chat title is not modified');
  chat.title = title;
  publishChat(call.world, chat);
  const from = chat.type === 'channel' ? undefined : toApiBotUser(call.bot);
  addMessage(call.world, { chat, from, author: call.bot, content: { new_chat_title: title } });
  return true;
}

function setChatDescription(call: Call): true {
  const chat = readManagedChat(call, 'change chat description');
  const description = readString(call.params, 'description')?.trim() ?? '';
  if (description.length > 255) throw badRequest('chat description is too long');
  if (description === chat.description) throw badRequest('chat description is not modified');
  chat.description = description;
  return true;
}

function banChatMember(call: Call): true {
  const chat = readManagedChat(call, 'restrict/unrestrict chat member');
  const userId = readInteger(call.params, 'user_id');
  if (userId === undefined || !call.world.people.has(userId)) throw badRequest('PARTICIPANT_ID_INVALID');
  if ([...chat.memberIds][0] === userId) throw badRequest("can't remove chat owner");
  setMembership(call.world, chat, userId, false);
  return true;
}

function unbanChatMember(call: Call): true {
  const chat = readManagedChat(call, 'restrict/unrestrict chat member');
  const userId = readInteger(call.params, 'user_id');
  if (userId === undefined || !call.world.people.has(userId)) throw badRequest('PARTICIPANT_ID_INVALID');
  // Bans are not stored, so there is nothing to lift. As in Telegram, a member is removed unless `only_if_banned` is
  // set.
  if (readString(call.params, 'only_if_banned') !== 'true') setMembership(call.world, chat, userId, false);
  return true;
}

/** Restricts a member of a supergroup; with all permissions, the restriction ends. */
function restrictChatMember(call: Call): true {
  const { params, world } = call;
  const chat = readManagedChat(call, 'restrict/unrestrict chat member');
  if (chat.type !== 'supergroup') throw badRequest('method is available only for supergroups');
  const personId = readInteger(params, 'user_id');
  if (personId === call.bot.id) throw badRequest("can't restrict self");
  if (personId === undefined || !world.people.has(personId)) throw badRequest('PARTICIPANT_ID_INVALID');
  if ([...chat.memberIds][0] === personId) throw badRequest("can't remove chat owner");
  if (!chat.memberIds.has(personId)) throw badRequest('USER_NOT_PARTICIPANT');
  const given = readObject(params, 'permissions');
  if (!given) throw badRequest("can't parse permissions: expected an Object");
  const permissions = Object.fromEntries(PERMISSION_NAMES.map((name) => [name, readBoolean(given, name)]));
  const isLifted = Object.values(permissions).every(Boolean);
  const untilDate = toUntilDate(readInteger(params, 'until_date') ?? 0, unixTime(world));
  const restriction = isLifted ? undefined : { permissions, untilDate };
  setRestriction(world, { chat, personId, restriction, by: toApiBotUser(call.bot) });
  return true;
}

/** Telegram takes less than 30 seconds or more than 366 days as for ever. */
function toUntilDate(untilDate: number, now: number): number {
  const seconds = untilDate - now;
  return seconds < 30 || seconds > 366 * 24 * 3600 ? 0 : untilDate;
}

/** Methods that read or change chats. */
export const chatMethods: { readonly [method: string]: MethodHandler } = {
  getChat,
  getChatMember,
  getChatAdministrators,
  getChatMemberCount,
  getChatMembersCount: getChatMemberCount,
  leaveChat,
  setChatTitle,
  setChatDescription,
  banChatMember,
  kickChatMember: banChatMember,
  unbanChatMember,
  restrictChatMember,
};
