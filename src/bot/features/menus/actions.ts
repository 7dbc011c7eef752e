import type { CallbackActionsOf } from '../../framework/choice.ts';

export const actions = {
  'close-menu': { fields: {} },
  'cancel-dialog': { fields: {} },
  /** No operation. */
  'show-page-number': { fields: {} },
};

declare module '../../framework/choice.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
