import { z } from 'zod';
import type { ChoicesOf } from '../../framework/choice.ts';
import { origin } from '../../framework/leave-button.ts';

/** The key of a shipped one, or `own:` and an id. */
const persona = { persona: z.string() };
/** The page of the list that it was chosen from. */
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
  /** Says first what others get. */
  'share-persona': { fields: own },
  'share-persona-now': { fields: own },
  'unshare-persona': { fields: own },
  /** Asks first. */
  'delete-persona': { fields: own },
  'delete-persona-for-good': { fields: own },
  'show-system-prompt': { fields: origin },
  'change-system-prompt': { fields: {} },
  'remove-system-prompt': { fields: {} },
  'use-system-prompt-always': { fields: {} },
};

declare module '../../framework/choice.ts' {
  interface FeatureActions extends ChoicesOf<typeof actions> {}
}
declare module '../../framework/dialog.ts' {
  interface FeatureDialogs {
    'system-prompt': never;
    'persona-name': never;
    'persona-instructions': never;
    'persona-new-name': never;
    'persona-new-instructions': never;
  }
}
