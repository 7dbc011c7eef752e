import { Composer } from 'grammy';
import { MAX_SYSTEM_PROMPT_CHARACTERS } from '../../../core/accounts/index.ts';
import { type EffectivePrompt, findEffectivePromptHere } from '../../choices/personas.ts';
import { onAction } from '../../kit/actions.ts';
import { toChatTopic } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog } from '../../kit/dialogs.ts';
import { type ActionButton, type Origin, storeKeyboard, toButtonTarget, toLeaveButton } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, showView, type View } from '../../kit/views.ts';
import { texts } from './texts.ts';

/** `/system`: the system prompt of this conversation, and by a button of all conversations. */
export function createSystemPrompt(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('system', async (ctx) => {
    if (ctx.match.trim() !== '') return saveSystemPrompt(services, ctx, ctx.match);
    if (await findEffectivePromptHere(services, ctx))
      return showView(ctx, await toSystemPromptView(services, ctx, undefined));
    const { none, ask } = texts[ctx.locale].system;
    await beginDialog(services, ctx, 'system-prompt', `${none}\n\n${ask}`);
  });
  composer.use(
    onAction(services, 'show-system-prompt', (ctx, { back }) => ({
      afterwards: async () => showView(ctx, await toSystemPromptView(services, ctx, back)),
    })),
    onAction(services, 'change-system-prompt', (ctx) => ({
      afterwards: () => beginDialog(services, ctx, 'system-prompt', texts[ctx.locale].system.ask),
    })),
    onAction(services, 'use-system-prompt-always', async (ctx) => {
      const conversation = ctx.msg && (await services.conversations.findCurrentConversation(toChatTopic(ctx.msg)));
      const promptSource = conversation?.promptSource;
      const isOwn = promptSource?.kind === 'instructions' && promptSource.userId === ctx.user.id;
      if (!conversation || !isOwn) return { hint: ctx.texts.staleButton };
      const { text: systemPrompt } = promptSource;
      ctx.user = await services.accounts.updateSettings(ctx.user.id, { systemPrompt, persona: undefined });
      await services.conversations.setPromptSource(conversation.id, undefined);
      return { afterwards: () => showView(ctx, { text: texts[ctx.locale].system.savedAlways }) };
    }),
    onAction(services, 'remove-system-prompt', async (ctx) => {
      await removePromptSource(services, ctx);
      return { afterwards: () => showView(ctx, { text: texts[ctx.locale].system.removed }) };
    }),
  );
  return composer;
}

/** Stores the text as the system prompt of this conversation, or replies with the reason for a refusal. */
export async function saveSystemPrompt(services: BotServices, ctx: BotContext, text: string): Promise<void> {
  const { system, buttons } = texts[ctx.locale];
  const systemPrompt = text.trim();
  if (systemPrompt.length > MAX_SYSTEM_PROMPT_CHARACTERS) {
    await ctx.reply(system.tooLong(systemPrompt.length, MAX_SYSTEM_PROMPT_CHARACTERS));
    return;
  }
  if (!ctx.msg || systemPrompt === '') {
    await removePromptSource(services, ctx);
    await ctx.reply(system.removed);
    return;
  }
  const conversation = await services.conversations.currentConversation(toChatTopic(ctx.msg), ctx.user.id);
  const promptSource = { kind: 'instructions', text: systemPrompt, userId: ctx.user.id } as const;
  await services.conversations.setPromptSource(conversation.id, promptSource);
  const always: ActionButton = { text: buttons.useAlways, action: { kind: 'use-system-prompt-always' } };
  await showView(ctx, { text: system.saved, keyboard: await storeKeyboard(services, toButtonTarget(ctx), [[always]]) });
}

/** Removes the choice of this conversation; if there is none, the user's default. */
async function removePromptSource(services: BotServices, ctx: BotContext): Promise<void> {
  const conversation = ctx.msg && (await services.conversations.findCurrentConversation(toChatTopic(ctx.msg)));
  if (conversation?.promptSource) return services.conversations.setPromptSource(conversation.id, undefined);
  const nothing = { systemPrompt: undefined, persona: undefined };
  ctx.user = await services.accounts.updateSettings(ctx.user.id, nothing);
}

async function toSystemPromptView(services: BotServices, ctx: BotContext, back: Origin): Promise<View> {
  const { buttons, system } = texts[ctx.locale];
  const promptSource = await findEffectivePromptHere(services, ctx);
  const change: ActionButton = {
    text: promptSource === undefined ? system.write : system.change,
    action: { kind: 'change-system-prompt' },
  };
  const remove: ActionButton = { text: system.reset, action: { kind: 'remove-system-prompt' } };
  const always: ActionButton = { text: buttons.useAlways, action: { kind: 'use-system-prompt-always' } };
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    promptSource === undefined ? [change] : [change, remove],
    promptSource && !promptSource.persona && !promptSource.isDefault && !promptSource.isForeign ? [always] : [],
    [{ text: buttons.personas, action: { kind: 'list-personas', page: 0, back } }, toLeaveButton(ctx.texts, back)],
  ]);
  if (promptSource === undefined) return { text: system.none, keyboard };
  const text = `${toHeading(ctx, promptSource)}\n\n${promptSource.instructions}`;
  return { text, entities: markParts(text, 'expandable_blockquote', promptSource.instructions), keyboard };
}

function toHeading({ locale }: BotContext, { persona, isDefault }: EffectivePrompt): string {
  const words = texts[locale];
  if (!persona) return isDefault ? words.system.currentAlways : words.system.current;
  return `${persona.label}\n${isDefault ? words.isDefault : words.isHere}`;
}
