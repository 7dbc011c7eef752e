import type { Middleware } from 'grammy';
import type { Locale } from '../texts/locale.ts';
import type { ActionDefinitions } from './actions.ts';
import type { AnswerExtension } from './answer-extension.ts';
import type { BotContext } from './context.ts';
import type { DialogHandlers } from './dialogs.ts';
import type { BotServices } from './services.ts';

/** One capability of the bot: a folder of `features/` whose `index.ts` exports it, and an entry in `bot.ts`. */
export interface Feature {
  /** Commands for Telegram's menu and `/help`, in the order of the features. Default none. */
  readonly commands?: readonly Command[];
  /** Definitions of its callback actions. Default none. */
  readonly actions?: ActionDefinitions;
  readonly create: (services: BotServices) => FeatureHandlers;
}

export interface FeatureHandlers extends AnswerExtension {
  /** Handles an update or passes it on to the next feature. Default none. */
  readonly middleware?: Middleware<BotContext>;
  /**
   * Middleware that runs before the dialogs: for updates that don't end one, such as those of chats that the bot is not
   * a member of. Default none.
   */
  readonly early?: Middleware<BotContext>;
  /** Handlers for texts that the feature has asked for. Default none. */
  readonly dialogs?: Partial<DialogHandlers>;
  /**
   * Carries out a run of a task, or tells the user about it, as the ledger says. May be called again for the same run.
   * Default none.
   */
  readonly runTask?: (runId: number) => Promise<void>;
}

/** Command; `name` has no slash. */
export type Command = ListedCommand | { readonly name: string; readonly menus: readonly [] };

/** Command menu of Telegram: in private chats, in groups, or in private chats of admins. */
export type CommandMenu = 'private' | 'group' | 'admin';

interface ListedCommand {
  readonly name: string;
  readonly menus: readonly [CommandMenu, ...CommandMenu[]];
  /** Has an effect on a private service only. */
  readonly isForPrivateService?: true;
  readonly describe: (locale: Locale) => string;
}
