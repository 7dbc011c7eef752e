import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';
import { origin } from '../../kit/keyboards.ts';

/** Key of a built-in persona, or `own:` and an id. */
const persona = { persona: z.string() };
/** Page of the list that the persona was opened from. */
const listing = { page: z.number().optional(), ...origin };
const own = { personaId: z.number() };

export const actions = {
  'list-personas': { fields: { page: z.number(), ...origin } },
  'show-persona': { fields: { ...persona, ...listing } },
  'use-persona': { fields: { ...persona, isAlways: z.boolean(), ...listing } },
  'drop-usual-persona': { fields: {} },
  'make-persona': { fields: {} },
  'rename-persona': { fields: own },
  'edit-persona': { fields: own },
  /** Shows first what other users will get. */
  'share-persona': { fields: own },
  'share-persona-now': { fields: own },
  'unshare-persona': { fields: own },
  /** Asks for confirmation. */
  'delete-persona': { fields: own },
  'delete-persona-for-good': { fields: own },
  'show-system-prompt': { fields: origin },
  'change-system-prompt': { fields: {} },
  'remove-system-prompt': { fields: {} },
  'use-system-prompt-always': { fields: {} },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'system-prompt': never;
    'persona-name': never;
    'persona-instructions': never;
    'persona-new-name': never;
    'persona-new-instructions': never;
  }
}
