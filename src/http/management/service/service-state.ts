import type { DiskSpace } from '../../../lib/files/disk-space.ts';

/** State of the service, as known to the process that answers. */
export interface ServiceState {
  /** Version of the service. */
  readonly version: string;
  readonly database: 'embedded' | 'server';
  /** Space of the disk of `DATA_DIR`; undefined if there is none. */
  readonly disk: DiskSpace | undefined;
  /** Undefined before the bot has started. */
  readonly bot: BotQueues | undefined;
}

interface BotQueues {
  /** Stored Telegram updates that are not handled yet, over all processes. */
  readonly updates: number;
  /** Chat queues with such updates. */
  readonly chatQueues: number;
  /** Chats with running or queued answers and image jobs in this process. */
  readonly busyChats: number;
  /** Background jobs in chats that run or wait in this process, by kind. */
  readonly jobs: Readonly<Record<string, number>>;
  /** Bot API calls that wait to stay below Telegram's rate limits. */
  readonly telegramCalls: number;
}
