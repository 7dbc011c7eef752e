import type { ChatView } from '../control-protocol.ts';
import { actionOf, draftOf, type PageState } from './state.ts';
import { translate } from './texts.ts';

const ACTIONS: Readonly<Record<string, string>> = {
  typing: 'typing…',
  upload_photo: 'sending a photo…',
  record_video: 'recording a video…',
  upload_video: 'sending a video…',
  record_voice: 'recording a voice message…',
  upload_voice: 'sending a voice message…',
  upload_document: 'sending a file…',
  choose_sticker: 'choosing a sticker…',
  find_location: 'looking for a location…',
  record_video_note: 'recording a video message…',
  upload_video_note: 'sending a video message…',
};

/**
 * Describes a chat action in words.
 * @param action value of `sendChatAction`
 */
export const describeAction = (action: string) => ACTIONS[action] ?? 'busy…';

/** Returns the line below a chat's title. */
export function statusOf(
  state: PageState,
  chat: ChatView,
  topicId: number | undefined,
): { text: string; isActive: boolean } {
  const action = actionOf(state, chat.id, topicId);
  const prefix = chat.type === 'private' ? '' : `${state.bot.name} is `;
  if (action) return { text: prefix + describeAction(action.action), isActive: true };
  if (draftOf(state, chat.id, topicId)) return { text: `${prefix}writing…`, isActive: true };
  if (chat.type === 'private')
    return { text: chat.botStatus === 'blocked' ? translate('bot, blocked') : translate('bot'), isActive: false };
  const count = chat.memberIds.length + (chat.botStatus === 'member' || chat.botStatus === 'administrator' ? 1 : 0);
  const members = `${count} ${chat.type === 'channel' ? 'subscriber' : 'member'}${count === 1 ? '' : 's'}`;
  const isOut = chat.botStatus === 'left' || chat.botStatus === 'kicked';
  return { text: isOut ? `${members}, the bot is not in it` : members, isActive: false };
}
