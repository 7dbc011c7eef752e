import type { CallbackActionsOf } from '../../framework/callback-action.ts';

export const actions = {
  'close-menu': { fields: {} },
  'cancel-dialog': { fields: {} },
  /** No operation. */
  'show-page-number': { fields: {} },
};

declare module '../../framework/callback-action.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
