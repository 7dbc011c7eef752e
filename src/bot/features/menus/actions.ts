import type { CallbackActionsOf } from '../../kit/actions.ts';

export const actions = {
  'close-menu': { fields: {} },
  'cancel-dialog': { fields: {} },
  /** No operation. */
  'show-page-number': { fields: {} },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
