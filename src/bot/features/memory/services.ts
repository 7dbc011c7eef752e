import type { BotDeps } from '../../framework/bot-deps.ts';
import type { ChatAdmins } from '../../groups/chat-admins.ts';

export interface MemoryServices
  extends Pick<BotDeps, 'accounts' | 'conversations' | 'groups' | 'interactions' | 'logger' | 'memories'> {
  readonly admins: ChatAdmins;
}
