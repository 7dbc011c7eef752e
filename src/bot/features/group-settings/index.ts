import { defineFeature } from '../../framework/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';

/** `/settings` in a group: what its admins choose for everybody there. Before the settings of users, which take the same command. */
export const groupSettings = defineFeature({ actions, create: createHandlers });
