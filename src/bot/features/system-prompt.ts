import { Composer } from 'grammy';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { beginDialog } from '../dialog.ts';
import { type ChoiceButton, offerKeyboard } from '../keyboard.ts';
import { onPress } from '../press.ts';
import { markPieces, showView, type View } from '../view.ts';

/** Characters; leaves room for a heading in the message that shows it. */
const MAX_SYSTEM_PROMPT = 4000;

/** `/system`: what the model is told before every conversation. */
export function createSystemPromptFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('system', async (ctx) => {
    if (ctx.match.trim() === '') return showView(ctx, await toSystemPromptView(deps, ctx));
    return saveSystemPrompt(deps, ctx, ctx.match);
  });
  composer.use(
    onPress(deps, 'show-system-prompt', (ctx) => ({
      afterwards: async () => showView(ctx, await toSystemPromptView(deps, ctx)),
    })),
    onPress(deps, 'change-system-prompt', (ctx) => ({
      afterwards: () => beginDialog(deps, ctx, 'system-prompt', ctx.texts.system.ask),
    })),
    onPress(deps, 'remove-system-prompt', async (ctx) => {
      ctx.person = await deps.accounts.updateSettings(ctx.person.id, { systemPrompt: undefined });
      return { afterwards: () => showView(ctx, { text: ctx.texts.system.removed }) };
    }),
  );
  return composer;
}

/** Keeps what the person wrote as instructions for the model, or says why not. */
export async function saveSystemPrompt(deps: BotDeps, ctx: BotContext, text: string): Promise<void> {
  const systemPrompt = text.trim();
  if (systemPrompt.length > MAX_SYSTEM_PROMPT) {
    await ctx.reply(ctx.texts.system.tooLong(systemPrompt.length, MAX_SYSTEM_PROMPT));
    return;
  }
  ctx.person = await deps.accounts.updateSettings(ctx.person.id, { systemPrompt: systemPrompt || undefined });
  await ctx.reply(systemPrompt ? ctx.texts.system.saved : ctx.texts.system.removed);
}

async function toSystemPromptView(deps: BotDeps, ctx: BotContext): Promise<View> {
  const { buttons, system } = ctx.texts;
  const prompt = ctx.person.settings.systemPrompt;
  const change: ChoiceButton = { text: buttons.change, choice: { kind: 'change-system-prompt' } };
  const remove: ChoiceButton = { text: buttons.reset, choice: { kind: 'remove-system-prompt' } };
  const close: ChoiceButton = { text: buttons.close, choice: { kind: 'close-menu' } };
  const keyboard = await offerKeyboard(deps, ctx.person.id, [
    prompt === undefined ? [change] : [change, remove],
    [close],
  ]);
  if (prompt === undefined) return { text: system.none, keyboard };
  return {
    text: `${system.current}\n\n${prompt}`,
    entities: markPieces(`${system.current}\n\n${prompt}`, 'expandable_blockquote', prompt),
    keyboard,
  };
}
