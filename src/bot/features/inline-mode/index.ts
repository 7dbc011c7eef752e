import { Composer } from 'grammy';
import type { BotContext } from '../../framework/context.ts';
import { defineFeature } from '../../framework/feature.ts';
import { actions } from './actions.ts';
import { createGuestQuestions, type GuestServices } from './guest-questions.ts';
import { createInlineQueries, type InlineQueryServices } from './inline-queries.ts';

/**
 * `@bot words` in any chat, and guest questions from chats that the bot is not a member of. The answer is one message,
 * which can only be edited.
 */
export const inlineMode = defineFeature({
  actions,
  create: (services: InlineQueryServices & GuestServices) => ({
    early: new Composer<BotContext>(createInlineQueries(services), createGuestQuestions(services)),
  }),
});
