import type { ConversationControls } from '@grammyjs/conversations';
import { Context } from 'grammy';
import type { Update } from 'grammy/types';
import type { Person } from '../core/accounts/index.ts';
import type { Group } from '../core/groups/index.ts';
import type { Choice } from './keyboards/choice.ts';
import { DEFAULT_LOCALE, type Locale, locales, type Texts } from './texts/locales.ts';

/** What every feature gets: one update, who sent it, and the words to answer with. */
export class BotContext extends Context {
  /**
   * Who sent the update: set before any feature runs, because updates without a person don't get so far. In groups with the choices
   * that count there for everybody.
   */
  declare person: Person;
  /** Set by the conversations plugin. */
  declare conversation: ConversationControls;
  /** What the admins of the group have chosen; undefined outside groups. */
  group: Group | undefined;
  locale: Locale = DEFAULT_LOCALE;
  /** What stands behind the pressed button; undefined for everything but presses. */
  choice: Choice | undefined;
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
}
