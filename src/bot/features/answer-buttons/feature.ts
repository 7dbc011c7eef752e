import { z } from 'zod';
import { retry } from '../../answers/retry.ts';
import type { ActionDefinitions, CallbackActionsOf } from '../../kit/actions.ts';
import type { Feature } from '../../kit/feature.ts';
import { createHandlers } from './handlers.ts';

/** Answer that the button belongs to. */
const answer = { answerId: z.number() };
/** The user who asked and, in groups, the chat's admins. */
const access = 'user-or-admin';

const actions = {
  retry: { fields: { retry } },
  regenerate: { fields: { ...answer, model: z.string().optional() }, access },
  /** Retry below the message about a failed variant, for this question. */
  'retry-variant': { fields: { ...answer, questionId: z.number(), model: z.string().optional() }, access },
  'continue-answer': { fields: answer, access },
  /** Retry below the message about a failed continuation. */
  'retry-continuation': { fields: answer, access },
  'turn-variant': { fields: { ...answer, by: z.number() }, access },
  'describe-variant': { fields: answer, access },
  'list-answer-models': { fields: { ...answer, page: z.number() }, access },
  // For all users: these lead to 👍 and 👎.
  'show-answer-buttons': { fields: answer, access: 'everyone' },
  'list-more-answer-buttons': { fields: answer, access: 'everyone' },
  /** Below the request to permit a tool call. */
  'permit-tool': {
    fields: { ...answer, pauseId: z.string(), permission: z.enum(['once', 'always', 'no']) },
    access,
  },
} as const satisfies ActionDefinitions;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/** Buttons below finished, failed and paused answers. */
export const answerButtons: Feature = { actions, create: createHandlers };
