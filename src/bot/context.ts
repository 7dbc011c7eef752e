import type { ConversationControls } from '@grammyjs/conversations';
import { Context } from 'grammy';
import type { Update } from 'grammy/types';
import type { Person } from '../core/accounts/index.ts';
import type { Choice } from './keyboards/choice.ts';
import { DEFAULT_LOCALE, type Locale, locales, type Texts } from './texts/locales.ts';

/** What every feature gets: one update, who sent it, and the words to answer with. */
export class BotContext extends Context {
  /** Who sent the update: set before any feature runs, because updates without a person don't get so far. */
  declare person: Person;
  /** Set by the conversations plugin. */
  declare conversation: ConversationControls;
  locale: Locale = DEFAULT_LOCALE;
  /** What stands behind the pressed button; undefined for everything but presses. */
  choice: Choice | undefined;
  /** The updates of this chat that wait already. */
  listFollowing: () => Promise<readonly Update[]> = async () => [];
  /** Presses are answered once. */
  isPressAnswered = false;

  /** The bot's words in the person's language. */
  get texts(): Texts {
    return locales[this.locale];
  }
}
