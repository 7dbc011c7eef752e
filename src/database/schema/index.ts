export { apiKeys, people } from './accounts.ts';
export { deliveries, messages, plannedSends, threads } from './conversations.ts';
export { drawings, pictures } from './drawings.ts';
export { updateLanes, updates, updateWorkers } from './inbox.ts';
export { choices, dialogs } from './interactions.ts';
export { modelDiscoveries } from './models.ts';
export { blobs, blockedHashes, files, parts, uploadVolumes } from './storage.ts';
export { storagePace } from './storage-pace.ts';
export { usage } from './usage.ts';
