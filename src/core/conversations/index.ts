export { buildContext, type ContextMessage } from './context-window.ts';
export {
  type Attachment,
  type Conversations,
  createConversations,
  type StoredMessage,
} from './conversations.ts';
export { countsAlone, type OwedAnswer } from './deliveries.ts';
export { includeTexts, listMessagesWithTexts } from './include-texts.ts';
export type { Place } from './place.ts';
