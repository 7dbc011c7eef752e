import type { ConversationControls } from '@grammyjs/conversations';
import { Context } from 'grammy';
import type { Update } from 'grammy/types';
import type { User } from '../../core/accounts/index.ts';
import type { Group } from '../../core/groups/index.ts';
import { DEFAULT_LOCALE, type Locale, locales, type Texts } from '../texts/locales.ts';
import type { Choice } from './choice.ts';
import { isGroup } from './place.ts';

/** What every feature gets: one update, who sent it, and the words to answer with. */
export class BotContext extends Context {
  /**
   * Who sent the update: set before any feature runs, because updates without a person don't get so far. In groups with the choices
   * that count there for everybody.
   */
  declare user: User;
  /** Set by the conversations plugin. */
  declare conversation: ConversationControls;
  /** What the admins of the group have chosen; undefined outside groups. */
  group: Group | undefined;
  locale: Locale = DEFAULT_LOCALE;
  /** What stands behind the pressed button; undefined for everything but presses. */
  choice: Choice | undefined;
  /** The message with which a dialog waits for a text of this user, and whether this update has ended the dialog. */
  prompt: { readonly messageId: number; readonly isOver: boolean } | undefined;
  /** The updates of this chat that wait already. */
  listFollowing: () => Promise<readonly Update[]> = async () => [];
  /** Whether the sender runs the group. */
  isFromAdmin: () => Promise<boolean> = async () => false;
  /** Presses are answered once. */
  isPressAnswered = false;

  /** The bot's words in the person's language. */
  get texts(): Texts {
    return locales[this.locale];
  }

  /**
   * Says something where the update comes from, in its topic. In groups it replies to the message that it is about, so that everybody
   * sees whom it is for, and because nothing else stands among the comments of a channel.
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
