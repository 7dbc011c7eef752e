export { createUpdateLanes, type UpdateLanesOptions } from './update-lanes.ts';
