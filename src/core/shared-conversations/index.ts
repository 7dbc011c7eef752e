export type { SharedConversation, SharedMessage } from './shared-conversation.ts';
export {
  createSharedConversations,
  type SharedConversations,
  type SharedPage,
  TooManyPagesError,
  toPageName,
} from './shared-conversations.ts';
