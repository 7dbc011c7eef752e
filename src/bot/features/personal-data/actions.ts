import type { CallbackActionsOf } from '../../framework/choice.ts';

export const actions = {
  'forget-everything': { fields: {} },
};

declare module '../../framework/choice.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
