import { createHash } from 'node:crypto';
import type { ChatInviteLink } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { toApiBotUser } from '../../world/views.ts';
import { type Chat, takeNumber } from '../../world/world.ts';
import type { Call, MethodHandler } from '../call.ts';
import { readBoolean, readInteger, readString } from '../params.ts';
import { checkAccess, checkAdministrator, readChat } from '../targets.ts';

const MAX_NAME = 32;
const MAX_MEMBERS = 99_999;
/** Links kept in a chat: the oldest ones are forgotten. */
const MAX_LINKS = 1000;

function readInvitingChat(call: Call): Chat {
  const chat = readChat(call);
  checkAccess(call, chat);
  if (chat.type === 'private') throw badRequest("can't invite members to a private chat");
  checkAdministrator(call, chat, 'manage chat invite link');
  return chat;
}

function addLink(call: Call, chat: Chat, facts: Partial<ChatInviteLink>): ChatInviteLink {
  const number = takeNumber(call.world);
  const hash = createHash('sha256').update(`${chat.key}/${number}`).digest('base64url').slice(0, 16);
  const link: ChatInviteLink = {
    invite_link: `https://t.me/+${hash}`,
    creator: toApiBotUser(call.bot),
    creates_join_request: false,
    is_primary: false,
    is_revoked: false,
    ...facts,
  };
  chat.inviteLinks.set(link.invite_link, link);
  for (const oldest of chat.inviteLinks.keys()) {
    if (chat.inviteLinks.size <= MAX_LINKS) break;
    chat.inviteLinks.delete(oldest);
  }
  return link;
}

/** Replaces the bot's primary link; the former one is revoked. */
function exportChatInviteLink(call: Call): string {
  const chat = readInvitingChat(call);
  for (const link of chat.inviteLinks.values())
    if (link.is_primary && link.creator.id === call.bot.id) change(chat, link, { is_primary: false, is_revoked: true });
  return addLink(call, chat, { is_primary: true }).invite_link;
}

function createChatInviteLink(call: Call): ChatInviteLink {
  return addLink(call, readInvitingChat(call), readFacts(call));
}

function editChatInviteLink(call: Call): ChatInviteLink {
  const chat = readInvitingChat(call);
  const { name: _name, expire_date: _date, member_limit: _limit, ...link } = readLink(call, chat);
  if (link.is_primary) throw badRequest('INVITE_HASH_INVALID');
  return change(chat, link, readFacts(call));
}

/** Revokes a link. A revoked primary link is replaced by a new one. */
function revokeChatInviteLink(call: Call): ChatInviteLink {
  const chat = readInvitingChat(call);
  const link = readLink(call, chat);
  const revoked = change(chat, link, { is_revoked: true, is_primary: false });
  if (link.is_primary) addLink(call, chat, { is_primary: true });
  return revoked;
}

function change(chat: Chat, link: ChatInviteLink, facts: Partial<ChatInviteLink>): ChatInviteLink {
  const changed = { ...link, ...facts };
  chat.inviteLinks.set(changed.invite_link, changed);
  return changed;
}

/** Returns the link of this bot that the call names. @throws ApiError 400 */
function readLink({ bot, params }: Call, chat: Chat): ChatInviteLink {
  const link = chat.inviteLinks.get(readString(params, 'invite_link') ?? '');
  if (!link || link.creator.id !== bot.id || link.is_revoked) throw badRequest('INVITE_HASH_EXPIRED');
  return link;
}

function readFacts({ params }: Call): Partial<ChatInviteLink> {
  const name = readString(params, 'name');
  const expireDate = readInteger(params, 'expire_date');
  const memberLimit = readInteger(params, 'member_limit');
  const createsRequest = readBoolean(params, 'creates_join_request');
  if ((name?.length ?? 0) > MAX_NAME) throw badRequest('invite link name is too long');
  if (memberLimit !== undefined && (memberLimit < 0 || memberLimit > MAX_MEMBERS))
    throw badRequest('invalid member limit specified');
  if (memberLimit && createsRequest)
    throw badRequest("member limit can't be specified for links requiring administrator approval");
  return {
    creates_join_request: createsRequest,
    ...(name === undefined ? {} : { name }),
    ...(expireDate ? { expire_date: expireDate } : {}),
    ...(memberLimit ? { member_limit: memberLimit } : {}),
  };
}

/** Methods of invite links. */
export const inviteLinkMethods: { readonly [method: string]: MethodHandler } = {
  exportChatInviteLink,
  createChatInviteLink,
  editChatInviteLink,
  revokeChatInviteLink,
};
