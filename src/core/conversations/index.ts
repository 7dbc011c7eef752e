export { buildContext, type ContextMessage } from './context-window.ts';
export {
  type Attachment,
  type Conversations,
  createConversations,
  type Place,
  type StoredMessage,
  type UnfinishedAnswer,
} from './conversations.ts';
