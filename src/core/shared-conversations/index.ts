export type { SharedConversation, SharedMessage } from './shared-conversations.ts';
export {
  createSharedConversations,
  type SharedConversations,
  type SharedPage,
  TooManyPagesError,
  toPageName,
} from './shared-conversations.ts';
