import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';

/** Page of results, from 0. */
const listing = { search: z.string(), page: z.number() };

export const actions = {
  'list-found': { fields: listing },
  'search-library': { fields: {} },
  'show-found': { fields: { entryId: z.string() } },
};

export type FoundListing = Omit<CallbackActionsOf<typeof actions>['list-found'], 'kind'>;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'library-search': never;
  }
}
