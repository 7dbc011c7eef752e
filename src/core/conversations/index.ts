export { buildContext, type ContextMessage } from './context-window.ts';
export {
  type Attachment,
  type Conversations,
  createConversations,
  type StoredMessage,
} from './conversations.ts';
export { countsAlone, type OwedAnswer } from './deliveries.ts';
export type { Place } from './place.ts';
export type { ListedThread, RecordedMessage, ThreadDetails, ThreadScope } from './threads.ts';
