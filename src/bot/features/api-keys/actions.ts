import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';
import { KEY_RULES } from './key-rules.ts';

const key = { keyId: z.number() };
const rule = { ...key, rule: z.enum(KEY_RULES) };

export const actions = {
  'list-keys': { fields: {} },
  'make-key': { fields: {} },
  /** Explains keys that manage the service. */
  'offer-manage-key': { fields: {} },
  'make-manage-key': { fields: {} },
  'show-key': { fields: key },
  'rename-key': { fields: key },
  'pause-key': { fields: { ...key, isPaused: z.boolean() } },
  'show-key-limits': { fields: key },
  'choose-key-rule': { fields: rule },
  /** `value` is parsed like a typed one. */
  'set-key-rule': { fields: { ...rule, value: z.string() } },
  'type-key-rule': { fields: rule },
  'switch-key-provider': { fields: { ...key, provider: z.string() } },
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
    'key-rule': never;
  }
}
