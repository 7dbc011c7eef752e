import type { ChoicesOf } from '../../framework/choice.ts';

export const actions = {
  'close-menu': { fields: {} },
  'cancel-dialog': { fields: {} },
  /** Does nothing. */
  'show-page-number': { fields: {} },
};

declare module '../../framework/choice.ts' {
  interface FeatureActions extends ChoicesOf<typeof actions> {}
}
