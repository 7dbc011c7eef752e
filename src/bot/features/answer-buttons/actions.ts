import { z } from 'zod';
import { retry } from '../../answers/retry.ts';
import type { ActionDefinitions, ChoicesOf } from '../../framework/choice.ts';

/** The answer that stands in the chat. */
const answer = { answerId: z.number() };
/** Who asked may press, and in groups the chat's admins. */
const audience = 'user-or-admin';

export const actions = {
  retry: { fields: { retry } },
  regenerate: { fields: { ...answer, model: z.string().optional() }, audience },
  /** Below the words about a variant that did not come about: the same once more, for this question. */
  'retry-variant': { fields: { ...answer, questionId: z.number(), model: z.string().optional() }, audience },
  'continue-answer': { fields: answer, audience },
  /** The same below the words about a try that has failed. */
  'retry-continuation': { fields: answer, audience },
  'turn-variant': { fields: { ...answer, by: z.number() }, audience },
  'describe-variant': { fields: answer, audience },
  'list-answer-models': { fields: { ...answer, page: z.number() }, audience },
  // Everyone may press these: they lead to 👍 and 👎.
  'show-answer-buttons': { fields: answer, audience: 'everyone' },
  'list-more-answer-buttons': { fields: answer, audience: 'everyone' },
  /** Below the question whether a model may call a tool. */
  'permit-tool': {
    fields: { ...answer, pauseId: z.string(), permission: z.enum(['once', 'always', 'no']) },
    audience,
  },
} as const satisfies ActionDefinitions;

declare module '../../framework/choice.ts' {
  interface FeatureActions extends ChoicesOf<typeof actions> {}
}
