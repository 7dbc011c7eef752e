import type { ConversationControls } from '@grammyjs/conversations';
import { Context } from 'grammy';
import type { Update } from 'grammy/types';
import type { User } from '../../core/accounts/index.ts';
import type { Group } from '../../core/groups/index.ts';
import { DEFAULT_LOCALE, type Locale, locales, type Texts } from '../texts/locales.ts';
import type { CallbackAction } from './actions.ts';
import { isGroup } from './chats.ts';

/** Context of one update for all features, with its user and texts. */
export class BotContext extends Context {
  /**
   * Sender of the update. Set before any feature runs, because updates without a user are dropped earlier. In groups it
   * has the group's settings applied.
   */
  declare user: User;
  /** Set by the conversations plugin. */
  declare conversation: ConversationControls;
  /** Group with its settings; undefined outside groups. */
  group: Group | undefined;
  locale: Locale = DEFAULT_LOCALE;
  /** Callback action of the pressed button; undefined for other updates. */
  action: CallbackAction | undefined;
  /** Prompt of a dialog that waits for a text of this user, and whether this update has ended the dialog. */
  prompt: { readonly messageId: number; readonly isOver: boolean } | undefined;
  /** Returns the queued updates of this chat. */
  listFollowing: () => Promise<readonly Update[]> = async () => [];
  /** Returns whether the sender is an admin of the group. */
  isFromAdmin: () => Promise<boolean> = async () => false;
  /** A callback query can be answered only once. */
  isActionAnswered = false;

  /** Texts of the bot in the user's language. */
  get texts(): Texts {
    return locales[this.locale];
  }

  /**
   * Sends a message to the chat and topic of the update. In groups it replies to the update's message: users see who is
   * addressed, and comments of a channel show only replies.
   */
  override reply(...[text, options, signal]: Parameters<Context['reply']>): ReturnType<Context['reply']> {
    return super.reply(text, { ...toReplyOptions(this), ...options }, signal);
  }

  override replyWithDocument(
    ...[file, options, signal]: Parameters<Context['replyWithDocument']>
  ): ReturnType<Context['replyWithDocument']> {
    return super.replyWithDocument(file, { ...toReplyOptions(this), ...options }, signal);
  }
}

function toReplyOptions({ chat, msgId }: BotContext) {
  if (!chat || !isGroup(chat) || msgId === undefined) return {};
  return { reply_parameters: { message_id: msgId, allow_sending_without_reply: true } };
}
