import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';

/** Page of the user's file list, from 0. */
const listing = {
  page: z.number(),
  /** Part of a file name. */
  search: z.string().optional(),
  /** Only shared conversations. */
  isOfPages: z.boolean().optional(),
};

/** Stored file, and the list that it was opened from. */
const file = { fileId: z.string(), listing: z.object(listing).optional() };

export const actions = {
  'list-files': { fields: listing },
  'search-files': { fields: {} },
  'show-file': { fields: file },
  'rename-file': { fields: file },
  'list-file-expiries': { fields: file },
  /** Counts from the time of the callback query; `null` means never. */
  'select-file-expiry': { fields: { ...file, afterMs: z.number().nullable() } },
  /** Asks for confirmation. */
  'delete-file': { fields: file },
  'delete-file-for-good': { fields: file },
  'ask-about-file': { fields: { fileId: z.string() } },
};

export type FileListing = Omit<CallbackActionsOf<typeof actions>['list-files'], 'kind'>;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'file-search': never;
    'file-name': never;
    'file-owner-key': never;
    'file-password': never;
    'file-question': never;
  }
}
