import { Composer } from 'grammy';
import { z } from 'zod';
import { findGroupPlan, type GroupSettings } from '../../../core/groups/index.ts';
import { hasPrivacyMode } from '../../choices/groups.ts';
import {
  type ActionAnswer,
  type ActionDefinitions,
  type CallbackActionOf,
  type CallbackActionsOf,
  onAction,
} from '../../kit/actions.ts';
import { isGroup } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog } from '../../kit/dialogs.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { findLocale } from '../../texts/locales.ts';
import { texts as personaTexts } from '../personas/texts.ts';
import { texts } from './texts.ts';
import { toGroupLanguagesView, toGroupModelsView, toGroupPersonasView, toGroupSettingsView } from './views.ts';

/** For all admins of the group, whichever of them opened the settings. */
const access = 'group-admins';

const actions = {
  'show-group-settings': { fields: {}, access },
  'list-group-models': { fields: { page: z.number() }, access },
  'list-group-personas': { fields: { page: z.number() }, access },
  'list-group-languages': { fields: {}, access },
  'change-group-instructions': { fields: {}, access },
  'change-group': {
    fields: {
      /** `null` restores the default. */
      changes: z.object({
        model: z.string().nullish(),
        persona: z.string().nullish(),
        systemPrompt: z.null().optional(),
        language: z.string().nullish(),
        payer: z.literal('group').nullish(),
        answersReplies: z.literal(false).nullish(),
        hasTasks: z.literal(false).nullish(),
      }),
    },
    access,
  },
  'remember-talk': { fields: { isOn: z.boolean() }, access },
  'admit-members': { fields: { isOn: z.boolean() }, access },
} satisfies ActionDefinitions;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'group-instructions': never;
  }
}

/**
 * `/settings` in a group: options for all members, changed by admins. Runs before the user settings, which handle the
 * same command.
 */
export const groupSettings: Feature = { actions, create: createHandlers };

/** Limit in characters. */
const MAX_INSTRUCTIONS = 4000;

/** `middleware/callback-query.ts` has already checked that a callback query comes from an admin. */
function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer
    .filter(({ chat }) => chat !== undefined && isGroup(chat))
    .command('settings', async (ctx) => showView(ctx, await toGroupSettingsView(services, ctx)));
  composer.use(
    onAction(services, 'show-group-settings', (ctx) => ({ afterwards: () => showSettings(services, ctx) })),
    onAction(services, 'list-group-models', (ctx, { page }) => ({
      afterwards: async () => showView(ctx, await toGroupModelsView(services, ctx, page)),
    })),
    onAction(services, 'list-group-personas', (ctx, { page }) => ({
      afterwards: async () => showView(ctx, await toGroupPersonasView(services, ctx, page)),
    })),
    onAction(services, 'list-group-languages', (ctx) => ({
      afterwards: async () => showView(ctx, await toGroupLanguagesView(services, ctx)),
    })),
    onAction(services, 'change-group-instructions', (ctx) => ({
      afterwards: () => beginDialog(services, ctx, 'group-instructions', texts[ctx.locale].askInstructions),
    })),
    onAction(services, 'change-group', (ctx, action) => changeGroup(services, ctx, action)),
    onAction(services, 'remember-talk', (ctx, action) => switchRecentMessages(services, ctx, action)),
    onAction(services, 'admit-members', (ctx, action) => admitMembers(services, ctx, action)),
  );
  return {
    middleware: composer,
    dialogs: { 'group-instructions': (ctx, text) => saveInstructions(services, ctx, text) },
  };
}

/** Stores the text as the group's system prompt, or replies with the reason for a refusal. */
async function saveInstructions(services: BotServices, ctx: BotContext, text: string): Promise<void> {
  const words = texts[ctx.locale];
  const { system } = personaTexts[ctx.locale];
  const systemPrompt = text.trim();
  if (!ctx.chat || !(await ctx.isFromAdmin())) return void (await ctx.reply(ctx.texts.groups.onlyAdmins));
  if (systemPrompt.length > MAX_INSTRUCTIONS) {
    return void (await ctx.reply(system.tooLong(systemPrompt.length, MAX_INSTRUCTIONS)));
  }
  await services.groups.change(ctx.chat.id, { systemPrompt: systemPrompt || undefined, persona: undefined });
  await ctx.reply(systemPrompt === '' ? system.removed : words.instructionsSaved);
}

async function showSettings(services: BotServices, ctx: BotContext): Promise<void> {
  await showView(ctx, await toGroupSettingsView(services, ctx));
}

async function changeGroup(
  services: BotServices,
  ctx: BotContext,
  { changes }: CallbackActionOf<'change-group'>,
): Promise<ActionAnswer> {
  if (!ctx.chat || !ctx.group) return { hint: ctx.texts.staleButton };
  const { model } = changes;
  if (typeof model === 'string' && services.catalogue.find(model)?.type !== 'chat') {
    return { hint: ctx.texts.models.gone(model), isAlert: true };
  }
  if (changes.payer && findGroupPlan(ctx.group, services.limits.planNames) === undefined)
    return { hint: ctx.texts.staleButton };
  ctx.group = await services.groups.change(ctx.chat.id, withoutNull(changes));
  ctx.locale = findLocale(ctx.group.settings.language ?? ctx.user.settings.language, ctx.from?.language_code);
  return { afterwards: () => showSettings(services, ctx) };
}

/** Switches the storage of messages on or off, and posts a notice for all members of the group. */
async function switchRecentMessages(
  services: BotServices,
  ctx: BotContext,
  { isOn }: CallbackActionOf<'remember-talk'>,
): Promise<ActionAnswer> {
  if (!ctx.chat || !ctx.group) return { hint: ctx.texts.staleButton };
  const isNews = ctx.group.storesRecentMessages !== isOn;
  ctx.group = await services.groups.setRemembering(ctx.chat.id, isOn);
  const words = texts[ctx.locale];
  return {
    afterwards: async () => {
      await showSettings(services, ctx);
      if (!isNews) return;
      const more = isOn && (await hasPrivacyMode(ctx)) ? `\n\n${ctx.texts.groups.noVision}` : '';
      await ctx.reply((isOn ? words.recentOn : words.recentOff) + more);
    },
  };
}

/** Lets the members of the group into a private service, or no longer. Admins of the service only. */
async function admitMembers(
  services: BotServices,
  ctx: BotContext,
  { isOn }: CallbackActionOf<'admit-members'>,
): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  if (!ctx.chat || !ctx.from || !ctx.group) return { hint: ctx.texts.staleButton };
  if (ctx.user.role !== 'admin') return { hint: words.onlyAdminsOfBot, isAlert: true };
  const outcome = await services.groupAccess.setAdmitting(ctx.chat.id, isOn, ctx.from.id);
  if (outcome === 'full') return { hint: words.tooManyGroups, isAlert: true };
  ctx.group = { ...ctx.group, admittedBy: isOn ? ctx.from.id : undefined };
  services.logger.info({ adminId: ctx.user.id, chatId: ctx.chat.id, isOn }, 'access of the members of a group changed');
  return { afterwards: () => showSettings(services, ctx) };
}

/** Converts `null`, which restores a default, to undefined. */
function withoutNull(changes: CallbackActionOf<'change-group'>['changes']): GroupSettings {
  return Object.fromEntries(Object.entries(changes).map(([field, value]) => [field, value ?? undefined]));
}
