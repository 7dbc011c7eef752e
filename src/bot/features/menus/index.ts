import { defineFeature } from '../../framework/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';

/** What all menus share: Close, Cancel, the number of the page. The last feature: it takes the presses that no other one has taken. */
export const menus = defineFeature({ actions, create: createHandlers });
