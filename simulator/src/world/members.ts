import type {
  ChatMember,
  ChatMemberAdministrator,
  ChatMemberUpdated,
  ChatPermissions,
  Update,
  User,
} from '@grammyjs/types';
import type { BotRights } from '../control-protocol.ts';
import { publishChat } from './chats.ts';
import { addMessage, type MessageContent } from './messages.ts';
import { toApiBotUser, toApiChat, toApiUser } from './views.ts';
import { type Bot, type BotStatus, type Chat, type Restriction, unixTime, type World } from './world.ts';

/**
 * Returns the membership of a user or bot in a group or channel, whose first member is the owner; undefined for an
 * unknown id.
 */
export function toApiMember(world: World, chat: Chat, userId: number): ChatMember | undefined {
  const bot = world.bots.find(({ id }) => id === userId);
  if (bot) return toBotMember(bot, chat.botStatuses.get(bot.id) ?? 'left', chat.botRights.get(bot.id));
  const person = world.people.get(userId);
  if (!person) return undefined;
  const user = toApiUser(person);
  if (!chat.memberIds.has(userId)) return { status: 'left', user };
  const isOwner = chat.type !== 'private' && [...chat.memberIds][0] === userId;
  const restriction = chat.restrictions.get(userId);
  const isRestricted = restriction && (restriction.untilDate === 0 || restriction.untilDate > unixTime(world));
  if (isRestricted) return toRestricted(user, restriction);
  return isOwner ? { status: 'creator', user, is_anonymous: false } : { status: 'member', user };
}

const PERMISSIONS = {
  can_send_messages: false,
  can_send_audios: false,
  can_send_documents: false,
  can_send_photos: false,
  can_send_videos: false,
  can_send_video_notes: false,
  can_send_voice_notes: false,
  can_send_polls: false,
  can_send_other_messages: false,
  can_add_web_page_previews: false,
  can_react_to_messages: false,
  can_change_info: false,
  can_invite_users: false,
  can_edit_tag: false,
  can_pin_messages: false,
  can_manage_topics: false,
} satisfies Required<ChatPermissions>;

/** Names of all permissions. */
export const PERMISSION_NAMES: readonly string[] = Object.keys(PERMISSIONS);

function toRestricted(user: User, { permissions, untilDate }: Restriction): ChatMember {
  return { status: 'restricted', user, is_member: true, ...PERMISSIONS, ...permissions, until_date: untilDate };
}

/** Restricts a member, or lifts the restriction, and notifies the bots that are administrators. */
export function setRestriction(
  world: World,
  change: { chat: Chat; personId: number; restriction: Restriction | undefined; by: User },
): void {
  const { chat, personId, restriction, by } = change;
  const before = toApiMember(world, chat, personId);
  if (restriction) chat.restrictions.set(personId, restriction);
  else chat.restrictions.delete(personId);
  const after = toApiMember(world, chat, personId);
  if (!before || !after) return;
  const administrators = world.bots.filter((bot) => chat.botStatuses.get(bot.id) === 'administrator');
  const facts = { chat: toApiChat(world, chat), from: by, date: unixTime(world) };
  pushMemberUpdate('chat_member', administrators, { ...facts, old_chat_member: before, new_chat_member: after });
}

function toBotMember(bot: Bot, status: BotStatus, rights: BotRights = {}): ChatMember {
  const user = toApiBotUser(bot);
  switch (status) {
    case 'administrator':
      return toAdministrator(user, rights);
    case 'member':
    case 'left':
      return { status, user };
    case 'kicked':
    case 'blocked':
      return { status: 'kicked', user, until_date: 0 };
  }
}

function toAdministrator(user: User, rights: BotRights): ChatMemberAdministrator {
  return {
    status: 'administrator',
    user,
    can_be_edited: false,
    is_anonymous: false,
    can_manage_chat: true,
    can_delete_messages: rights.canDeleteMessages ?? true,
    can_manage_video_chats: true,
    can_restrict_members: true,
    can_promote_members: false,
    can_change_info: true,
    can_invite_users: true,
    can_post_stories: false,
    can_edit_stories: false,
    can_delete_stories: false,
    can_post_messages: rights.canPostMessages ?? true,
    can_edit_messages: rights.canEditMessages ?? true,
    can_pin_messages: true,
    can_manage_topics: true,
    can_send_welcome_messages: false,
  };
}

/** Returns owner and administrators of a chat, the owner first. Other bots are omitted, as by default in Telegram. */
export function listAdministrators(world: World, chat: Chat, viewer: Bot): ChatMember[] {
  const ids = [...chat.memberIds].slice(0, 1);
  if (chat.botStatuses.get(viewer.id) === 'administrator') ids.push(viewer.id);
  return ids.flatMap((id) => toApiMember(world, chat, id) ?? []);
}

/**
 * Changes the status of the bot in a chat: the bot gets `my_chat_member`, and a group gets a service message when the
 * bot joins or leaves.
 */
export function setBotStatus(world: World, change: { chat: Chat; bot: Bot; status: BotStatus; by: User }): void {
  const { chat, bot, status, by } = change;
  const before = chat.botStatuses.get(bot.id) ?? 'left';
  if (before === status) return;
  chat.botStatuses.set(bot.id, status);
  pushMemberUpdate('my_chat_member', [bot], {
    chat: toApiChat(world, chat),
    from: by,
    date: unixTime(world),
    old_chat_member: toBotMember(bot, before),
    new_chat_member: toBotMember(bot, status, chat.botRights.get(bot.id)),
  });
  publishChat(world, chat);
  const isGroup = chat.type === 'group' || chat.type === 'supergroup';
  const isNew = before === 'left' || before === 'kicked';
  if (isGroup && isNew) announce(world, chat, by, { new_chat_members: [toApiBotUser(bot)] });
}

/** Adds a user to a group or channel, or removes them. */
export function setMembership(world: World, chat: Chat, personId: number, isMember: boolean): void {
  const person = world.people.get(personId);
  const before = toApiMember(world, chat, personId);
  if (!person || !before || chat.memberIds.has(personId) === isMember) return;
  if (isMember) chat.memberIds.add(personId);
  else chat.memberIds.delete(personId);
  chat.restrictions.delete(personId);
  const user = toApiUser(person);
  const after = toApiMember(world, chat, personId) ?? before;
  const administrators = world.bots.filter((bot) => chat.botStatuses.get(bot.id) === 'administrator');
  pushMemberUpdate('chat_member', administrators, {
    chat: toApiChat(world, chat),
    from: user,
    date: unixTime(world),
    old_chat_member: before,
    new_chat_member: after,
  });
  publishChat(world, chat);
  if (chat.type === 'channel') return;
  announce(world, chat, user, isMember ? { new_chat_members: [user] } : { left_chat_member: user });
}

function announce(world: World, chat: Chat, from: User, content: MessageContent): void {
  addMessage(world, { chat, from, content });
}

function pushMemberUpdate(
  type: 'my_chat_member' | 'chat_member',
  bots: readonly Bot[],
  change: ChatMemberUpdated,
): void {
  for (const bot of bots) {
    bot.updates.push(type, (updateId): Update => ({ update_id: updateId, [type]: change }));
  }
}
