export type { SharedConversation, SharedMessage } from './shared-conversations.ts';
export {
  createSharedConversations,
  type SharedPage,
  TooManyPagesError,
  toPageName,
} from './shared-conversations.ts';
