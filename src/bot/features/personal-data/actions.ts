import type { CallbackActionsOf } from '../../framework/callback-action.ts';

export const actions = {
  'forget-everything': { fields: {} },
};

declare module '../../framework/callback-action.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
