import { Composer } from 'grammy';
import type { BotContext } from '../../kit/context.ts';
import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createGuestQuestions } from './guest-questions.ts';
import { createInlineQueries } from './inline-queries.ts';

/**
 * `@bot words` in any chat, and guest questions from chats that the bot is not a member of. The answer is one message,
 * which can only be edited.
 */
export const inlineMode: Feature = {
  actions,
  create: (services) => ({
    early: new Composer<BotContext>(createInlineQueries(services), createGuestQuestions(services)),
  }),
};
