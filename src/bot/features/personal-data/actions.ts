import type { CallbackActionsOf } from '../../kit/actions.ts';

export const actions = {
  'forget-everything': { fields: {} },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
