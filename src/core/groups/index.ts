export { type GroupMessage, MAX_GROUP_MESSAGE_AGE_MS } from './group-messages.ts';
export { findGroupPlan, findPayingPlan } from './group-plan.ts';
export { createGroups, type Group, type GroupSettings, type Groups } from './groups.ts';
