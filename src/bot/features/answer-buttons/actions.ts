import { z } from 'zod';
import { retry } from '../../answers/retry.ts';
import type { ActionDefinitions, ChoicesOf } from '../../framework/choice.ts';

/** Answer whose buttons are pressed. */
const answer = { answerId: z.number() };
/** The user who asked and, in groups, the chat's admins. */
const audience = 'user-or-admin';

export const actions = {
  retry: { fields: { retry } },
  regenerate: { fields: { ...answer, model: z.string().optional() }, audience },
  /** Retry below the message about a failed variant, for this question. */
  'retry-variant': { fields: { ...answer, questionId: z.number(), model: z.string().optional() }, audience },
  'continue-answer': { fields: answer, audience },
  /** Retry below the message about a failed continuation. */
  'retry-continuation': { fields: answer, audience },
  'turn-variant': { fields: { ...answer, by: z.number() }, audience },
  'describe-variant': { fields: answer, audience },
  'list-answer-models': { fields: { ...answer, page: z.number() }, audience },
  // For all users: these lead to 👍 and 👎.
  'show-answer-buttons': { fields: answer, audience: 'everyone' },
  'list-more-answer-buttons': { fields: answer, audience: 'everyone' },
  /** Below the request to permit a tool call. */
  'permit-tool': {
    fields: { ...answer, pauseId: z.string(), permission: z.enum(['once', 'always', 'no']) },
    audience,
  },
} as const satisfies ActionDefinitions;

declare module '../../framework/choice.ts' {
  interface FeatureActions extends ChoicesOf<typeof actions> {}
}
