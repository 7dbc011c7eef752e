import type { UserFromGetMe } from 'grammy/types';
import type { Accounts } from '../core/accounts/index.ts';
import type { Conversations } from '../core/conversations/index.ts';
import type { Drawings } from '../core/drawings/index.ts';
import type { ChatGeneration, ImageGeneration } from '../core/generation/index.ts';
import type { Interactions } from '../core/interactions/index.ts';
import type { Catalogue } from '../core/models/index.ts';
import type { Storage } from '../core/storage/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { TelegramClient } from '../telegram/telegram-client.ts';

/** What the bot needs from the rest of the product. */
export interface BotDeps {
  readonly client: TelegramClient;
  /** Who the bot is, where that is known already; else Telegram is asked. */
  readonly botInfo?: UserFromGetMe | undefined;
  readonly accounts: Accounts;
  readonly conversations: Conversations;
  readonly interactions: Interactions;
  readonly generation: ChatGeneration;
  readonly images: ImageGeneration;
  readonly drawings: Drawings;
  readonly catalogue: Catalogue;
  readonly storage: Storage;
  /** What links to files begin with: `https://files.example.org`, without a slash behind it. */
  readonly cloudUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
}
