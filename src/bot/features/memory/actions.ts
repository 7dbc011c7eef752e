import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';
import { origin } from '../../kit/keyboards.ts';

/** Page of the list, the search that it shows, and the menu that it was opened from. */
const listing = { page: z.number(), search: z.string().optional(), ...origin };
const memory = { memoryId: z.number(), ...listing };
export type MemoryListing = z.infer<z.ZodObject<typeof listing>>;

export const actions = {
  'list-memories': { fields: listing },
  'search-memories': { fields: {} },
  'add-memory': { fields: {} },
  'show-memory': { fields: memory },
  'show-memory-source': { fields: { memoryId: z.number() } },
  'edit-memory': { fields: { memoryId: z.number() } },
  'delete-memory': { fields: memory },
  /** Asks for confirmation. */
  'delete-memories': { fields: origin },
  'delete-memories-for-good': { fields: origin },
  'switch-memory': { fields: { isOn: z.boolean(), ...origin } },
  /** Below an answer: lists the memories that its model was given. */
  'show-used-memories': { fields: { answerId: z.number() }, access: 'user-or-admin' },
} as const;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'memory-search': never;
    'memory-new': never;
    'memory-text': never;
  }
}
