import { z } from 'zod';
import type { CallbackActionsOf } from '../../framework/choice.ts';

/** Page of a chat's conversations, from 0. */
const listing = {
  page: z.number(),
  /** Words to search for. */
  search: z.string().optional(),
  isArchived: z.boolean().optional(),
};

/** Conversation, and the list that it was opened from. */
export const thread = { threadId: z.number(), listing: z.object(listing).optional() };

export const actions = {
  'new-conversation': { fields: {} },
  'list-threads': { fields: listing },
  'search-threads': { fields: {} },
  'show-thread': { fields: thread },
  'continue-thread': { fields: thread },
  'rename-thread': { fields: thread },
  'archive-thread': { fields: { ...thread, isArchived: z.boolean() } },
  'export-thread': { fields: thread },
  /** Asks for confirmation. */
  'delete-thread': { fields: thread },
  'delete-thread-for-good': { fields: thread },
};

export type ThreadListing = Omit<CallbackActionsOf<typeof actions>['list-threads'], 'kind'>;

declare module '../../framework/choice.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../framework/dialog.ts' {
  interface FeatureDialogs {
    'thread-search': never;
    'thread-title': never;
  }
}
