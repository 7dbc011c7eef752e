import { z } from 'zod';
import type { CallbackActionsOf } from '../../framework/callback-action.ts';

const key = { keyId: z.number() };

export const actions = {
  'list-keys': { fields: {} },
  'make-key': { fields: {} },
  'show-key': { fields: key },
  'rename-key': { fields: key },
  /** Asks for confirmation. */
  'revoke-key': { fields: key },
  'revoke-key-for-good': { fields: key },
};

declare module '../../framework/callback-action.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../framework/dialog.ts' {
  interface FeatureDialogs {
    'key-name': never;
    'key-new-name': never;
  }
}
