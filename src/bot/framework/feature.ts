import type { Middleware } from 'grammy';
import type { Locale } from '../texts/locale.ts';
import type { ActionDefinitions } from './choice.ts';
import type { BotContext } from './context.ts';
import type { DialogHandlers } from './dialog.ts';

/**
 * What the bot can do, one thing at a time: a folder of `features/` with one of these in its `index.ts`, and a line in `bot.ts`.
 * `Services` is what it takes of the rest of the product: as little as it needs.
 */
export interface Feature<Services> {
  /** Listed in Telegram's menu and in /help, in the order of the features. Default none. */
  readonly commands?: readonly Command[];
  /** What its buttons mean, by kind. Default none. */
  readonly actions?: ActionDefinitions;
  readonly create: (services: Services) => FeatureHandlers;
}

/** Checks a feature where it is written, and infers the services that it takes. */
export function defineFeature<Services>(feature: Feature<Services>): Feature<Services> {
  return feature;
}

export interface FeatureHandlers {
  /** Handles an update, or passes it on to the next feature. Default none. */
  readonly middleware?: Middleware<BotContext>;
  /** The same before the dialogs: for updates that end none, as from chats that the bot is not in. Default none. */
  readonly early?: Middleware<BotContext>;
  /** What is done with a text that the feature has asked for. Default none. */
  readonly dialogs?: Partial<DialogHandlers>;
}

/** `name` is without the slash. */
export type Command = ListedCommand | { readonly name: string; readonly menus: readonly [] };

/** Where Telegram offers a command: in private chats, in groups, or in private chats of admins. */
export type CommandMenu = 'private' | 'group' | 'admin';

interface ListedCommand {
  readonly name: string;
  readonly menus: readonly [CommandMenu, ...CommandMenu[]];
  /** Does something only where the service is not open to everyone. */
  readonly isForClosedService?: true;
  readonly describe: (locale: Locale) => string;
}

/** A feature's words, by language. */
export type TextsOf<Words> = Readonly<Record<Locale, Words>>;
