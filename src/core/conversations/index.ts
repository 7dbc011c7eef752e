export { buildContext, type ContextMessage } from './context-window.ts';
export {
  type Attachment,
  type Conversations,
  createConversations,
  type OwedAnswer,
  type Place,
  type StoredMessage,
} from './conversations.ts';
