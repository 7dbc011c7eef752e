import type { UniversalKey } from '../../core/accounts/index.ts';

/** Telegram's answer to a bot token. */
type BotAnswer =
  | {
      readonly kind: 'works';
      readonly username: string;
      readonly readsGroups: boolean;
      readonly webhookHost: string | undefined;
    }
  | { readonly kind: 'refused' }
  | { readonly kind: 'no-answer'; readonly reason: string };

/** Whether a bot can store files in a channel. */
type ChannelCheck =
  | { readonly kind: 'works'; readonly title: string }
  | { readonly kind: 'not-a-channel' | 'not-an-administrator' | 'may-not-post' | 'may-not-delete' }
  /** `reason` is Telegram's. */
  | { readonly kind: 'unknown' | 'no-answer'; readonly reason: string };

/** A user who has written to a bot that does not run yet. */
interface Writer {
  readonly id: number;
  readonly name: string;
  readonly username: string | undefined;
}

/** Questions about settings of a bot that does not run yet. None of them changes or stores anything, or throws. */
export interface SetupChecks {
  /** Asks Telegram about a bot token. */
  checkBot(token: string): Promise<BotAnswer>;
  /** Asks Telegram whether a bot can store files in a channel. */
  checkChannel(token: string, chatId: number): Promise<ChannelCheck>;
  /**
   * Asks Telegram who has written to a bot, newest first; a text says why it does not tell. The messages are not lost for
   * the bot.
   */
  listWriters(token: string): Promise<readonly Writer[] | string>;
  /**
   * Asks a provider for its models with a key.
   * @param variable a key variable of a preset.
   */
  checkProvider(
    variable: string,
    key: string,
  ): Promise<{ readonly modelCount: number; readonly problem: string | undefined }>;
  /** Where the universal key is. */
  readonly universalKey: UniversalKey;
  /** `PUBLIC_URL`. */
  readonly publicUrl: string | undefined;
  /** Whether an address of the service is meant for other machines. */
  readonly isPublic: boolean;
}
