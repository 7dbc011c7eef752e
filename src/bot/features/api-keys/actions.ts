import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';

const key = { keyId: z.number() };

export const actions = {
  'list-keys': { fields: {} },
  'make-key': { fields: {} },
  /** Explains keys that manage the service. */
  'offer-manage-key': { fields: {} },
  'make-manage-key': { fields: {} },
  'show-key': { fields: key },
  'rename-key': { fields: key },
  'pause-key': { fields: { ...key, isPaused: z.boolean() } },
  /** Shows the rules, and where they are set. */
  'show-key-limits': { fields: key },
  /** Asks how long the old secret is to work. */
  'rotate-key': { fields: key },
  /** `prefix` is that of the secret to replace. */
  'rotate-key-now': { fields: { ...key, overlapMs: z.number(), prefix: z.string() } },
  /** Asks for confirmation. */
  'revoke-key': { fields: key },
  'revoke-key-for-good': { fields: key },
  /** Buttons of the notice about a new network. */
  'confirm-key-network': { fields: key },
  'revoke-noticed-key': { fields: key },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'key-name': never;
    'manage-key-name': never;
    'key-new-name': never;
  }
}
