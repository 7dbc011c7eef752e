export { accessNotices, accessRequests, groupAdmissions, invitations, invitationUses } from './access.ts';
export { apiKeyNetworks, apiKeys, users } from './accounts.ts';
export { adminActions, allowedUsers, bans, forgottenUsers } from './administration.ts';
export { broadcastRecipients, broadcasts } from './broadcasts.ts';
export { budgetNotices } from './budget-notices.ts';
export {
  attachmentReadings,
  attachmentTexts,
  conversations,
  deliveries,
  inlineAnswers,
  type MessageAttachment,
  type MessageExtras,
  messages,
  plannedSends,
  toolPermissions,
} from './conversations.ts';
export { feedback } from './feedback.ts';
export { groupMessages, groups } from './groups.ts';
export { idempotentAnswerParts, idempotentRequests } from './idempotency.ts';
export { imageJobs, images } from './image-jobs.ts';
export { chatQueueOwners, updates, updateWorkers } from './inbox.ts';
export { callbackActions, dialogs } from './interactions.ts';
export { jobs } from './jobs.ts';
export { fileTexts, libraryChanges, libraryChunks, libraryVectors } from './library.ts';
export { budgets, limitCounters, limitReservations } from './limits.ts';
export { memories } from './memories.ts';
export { modelDiscoveries } from './models.ts';
export { personas } from './personas.ts';
export { responses } from './responses.ts';
export { sessions, signInCodes } from './sessions.ts';
export { blobs, blockedHashes, downloads, files, parts, uploadVolumes } from './storage.ts';
export { storageRateLimits } from './storage-rate-limits.ts';
export { storedSettings } from './stored-settings.ts';
export { taskRuns, tasks } from './tasks.ts';
export { usage } from './usage.ts';
