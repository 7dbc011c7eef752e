import { Composer } from 'grammy';
import { findGroupPlan, type GroupSettings } from '../../../core/groups/index.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { CallbackActionOf } from '../../framework/callback-action.ts';
import { isGroup } from '../../framework/chat-topic.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog } from '../../framework/dialog.ts';
import type { FeatureHandlers } from '../../framework/feature.ts';
import { type ActionAnswer, onAction } from '../../framework/on-action.ts';
import { showView } from '../../framework/view.ts';
import { hasPrivacyMode } from '../../groups/has-privacy-mode.ts';
import { findLocale } from '../../texts/locales.ts';
import { texts as personaTexts } from '../personas/texts/index.ts';
import {
  type GroupViewServices,
  toGroupLanguagesView,
  toGroupModelsView,
  toGroupPersonasView,
  toGroupSettingsView,
} from './group-settings-view.ts';
import { texts } from './texts/index.ts';

type GroupSettingsServices = GroupViewServices & Pick<BotDeps, 'groups' | 'logger'>;

/** Limit in characters. */
const MAX_INSTRUCTIONS = 4000;

/** `middleware/callback-query.ts` has already checked that a callback query comes from an admin. */
export function createHandlers(deps: GroupSettingsServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer
    .filter(({ chat }) => chat !== undefined && isGroup(chat))
    .command('settings', async (ctx) => showView(ctx, await toGroupSettingsView(deps, ctx)));
  composer.use(
    onAction(deps, 'show-group-settings', (ctx) => ({ afterwards: () => showSettings(deps, ctx) })),
    onAction(deps, 'list-group-models', (ctx, { page }) => ({
      afterwards: async () => showView(ctx, await toGroupModelsView(deps, ctx, page)),
    })),
    onAction(deps, 'list-group-personas', (ctx, { page }) => ({
      afterwards: async () => showView(ctx, await toGroupPersonasView(deps, ctx, page)),
    })),
    onAction(deps, 'list-group-languages', (ctx) => ({
      afterwards: async () => showView(ctx, await toGroupLanguagesView(deps, ctx)),
    })),
    onAction(deps, 'change-group-instructions', (ctx) => ({
      afterwards: () => beginDialog(deps, ctx, 'group-instructions', texts[ctx.locale].askInstructions),
    })),
    onAction(deps, 'change-group', (ctx, action) => changeGroup(deps, ctx, action)),
    onAction(deps, 'remember-talk', (ctx, action) => switchRecentMessages(deps, ctx, action)),
  );
  return {
    middleware: composer,
    dialogs: { 'group-instructions': (ctx, text) => saveInstructions(deps, ctx, text) },
  };
}

/** Stores the text as the group's system prompt, or replies with the reason for a refusal. */
async function saveInstructions(deps: GroupSettingsServices, ctx: BotContext, text: string): Promise<void> {
  const words = texts[ctx.locale];
  const { system } = personaTexts[ctx.locale];
  const systemPrompt = text.trim();
  if (!ctx.chat || !(await ctx.isFromAdmin())) return void (await ctx.reply(ctx.texts.groups.onlyAdmins));
  if (systemPrompt.length > MAX_INSTRUCTIONS) {
    return void (await ctx.reply(system.tooLong(systemPrompt.length, MAX_INSTRUCTIONS)));
  }
  await deps.groups.change(ctx.chat.id, { systemPrompt: systemPrompt || undefined, persona: undefined });
  await ctx.reply(systemPrompt === '' ? system.removed : words.instructionsSaved);
}

async function showSettings(deps: GroupSettingsServices, ctx: BotContext): Promise<void> {
  await showView(ctx, await toGroupSettingsView(deps, ctx));
}

async function changeGroup(
  deps: GroupSettingsServices,
  ctx: BotContext,
  { changes }: CallbackActionOf<'change-group'>,
): Promise<ActionAnswer> {
  if (!ctx.chat || !ctx.group) return { hint: ctx.texts.staleButton };
  const { model } = changes;
  if (typeof model === 'string' && deps.catalogue.find(model)?.type !== 'chat') {
    return { hint: ctx.texts.models.gone(model), isAlert: true };
  }
  if (changes.payer && findGroupPlan(ctx.group, deps.limits.planNames) === undefined)
    return { hint: ctx.texts.staleButton };
  ctx.group = await deps.groups.change(ctx.chat.id, withoutNull(changes));
  ctx.locale = findLocale(ctx.group.settings.language ?? ctx.user.settings.language, ctx.from?.language_code);
  return { afterwards: () => showSettings(deps, ctx) };
}

/** Switches the storage of messages on or off, and posts a notice for all members of the group. */
async function switchRecentMessages(
  deps: GroupSettingsServices,
  ctx: BotContext,
  { isOn }: CallbackActionOf<'remember-talk'>,
): Promise<ActionAnswer> {
  if (!ctx.chat || !ctx.group) return { hint: ctx.texts.staleButton };
  const isNews = ctx.group.keepsRecentMessages !== isOn;
  ctx.group = await deps.groups.setRemembering(ctx.chat.id, isOn);
  const words = texts[ctx.locale];
  return {
    afterwards: async () => {
      await showSettings(deps, ctx);
      if (!isNews) return;
      const more = isOn && (await hasPrivacyMode(ctx)) ? `\n\n${ctx.texts.groups.noVision}` : '';
      await ctx.reply((isOn ? words.recentOn : words.recentOff) + more);
    },
  };
}

/** Converts `null`, which restores a default, to undefined. */
function withoutNull(changes: CallbackActionOf<'change-group'>['changes']): GroupSettings {
  return Object.fromEntries(Object.entries(changes).map(([field, value]) => [field, value ?? undefined]));
}
