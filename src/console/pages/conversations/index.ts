import type { Page } from '../../page.ts';
import { ConversationsView } from './conversations-view.tsx';

/** Conversations of the private chat with the bot. */
export const conversationsPage: Page = {
  name: 'conversations',
  title: { en: 'Conversations', ru: 'Разговоры' },
  icon: 'chat',
  isForAdmins: false,
  View: ConversationsView,
};
