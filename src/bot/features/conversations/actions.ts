import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';

/** Page of a chat's conversations, from 0. */
const listing = {
  page: z.number(),
  /** Words to search for. */
  search: z.string().optional(),
  isArchived: z.boolean().optional(),
};

/** Conversation, and the list that it was opened from. */
export const conversation = { conversationId: z.number(), listing: z.object(listing).optional() };

export const actions = {
  'new-conversation': { fields: {} },
  'list-threads': { fields: listing },
  'search-threads': { fields: {} },
  'show-thread': { fields: conversation },
  'continue-thread': { fields: conversation },
  'rename-thread': { fields: conversation },
  'archive-thread': { fields: { ...conversation, isArchived: z.boolean() } },
  'export-thread': { fields: conversation },
  /** Shows the id by which the API continues it. */
  'continue-thread-by-api': { fields: conversation },
  /** Asks for confirmation. */
  'delete-thread': { fields: conversation },
  'delete-thread-for-good': { fields: conversation },
};

export type ConversationListing = Omit<CallbackActionsOf<typeof actions>['list-threads'], 'kind'>;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'thread-search': never;
    'thread-title': never;
  }
}
