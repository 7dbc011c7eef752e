import {
  type Conversation,
  type ConversationData,
  conversations,
  createConversation,
  type VersionedState,
} from '@grammyjs/conversations';
import { Composer, type Context } from 'grammy';
import type { Interactions } from '../core/interactions/index.ts';
import { findLeadingCommand, readAddressedText } from './address.ts';
import type { BotContext } from './context.ts';
import { offerKeyboard } from './keyboard.ts';
import { isGroup, toPlace, toPlaceKey } from './place.ts';

/** What the bot has asked a person to write. */
export type DialogPurpose = 'system-prompt' | 'model-search' | 'imagine';

/** What is done with the text that a person wrote in answer; `aboutId` is what `beginDialog` was given. */
export type DialogHandlers = Readonly<
  Record<DialogPurpose, (ctx: BotContext, text: string, aboutId: number | undefined) => Promise<void>>
>;

const DIALOG = 'ask-for-text';
const MAX_DIALOG_MS = 15 * 60_000;

/**
 * Dialogs of two steps: the bot asks, the person writes. They live in the database, so they survive a restart. A command,
 * anything that is no text, and 15 minutes of silence end a dialog; whatever ended it is then handled as usual.
 */
export function createDialogs(
  deps: { readonly interactions: Interactions },
  handlers: DialogHandlers,
): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    conversations<BotContext, Context>({
      storage: { type: 'key', prefix: 'dialog:', getStorageKey: toDialogKey, adapter: toStorage(deps.interactions) },
    }),
    createConversation<BotContext, Context>(
      (conversation, ctx, purpose: DialogPurpose, promptId: number, aboutId?: number) =>
        awaitText(handlers, conversation, ctx, { purpose, promptId, aboutId }),
      { id: DIALOG, maxMillisecondsToWait: MAX_DIALOG_MS },
    ),
  );
  return composer;
}

/**
 * Asks for a text in place of whatever was asked before. In groups the person is led to reply, because other messages don't reach bots.
 * @param aboutId what the text is for, where the purpose alone does not tell.
 */
export async function beginDialog(
  deps: { readonly interactions: Interactions },
  ctx: BotContext,
  purpose: DialogPurpose,
  question: string,
  aboutId?: number,
): Promise<void> {
  await ctx.conversation.exitAll();
  const prompt = await ctx.reply(question, await toPromptOptions(deps, ctx));
  await ctx.conversation.enter(DIALOG, purpose, prompt.message_id, ...(aboutId === undefined ? [] : [aboutId]));
}

async function toPromptOptions(deps: { readonly interactions: Interactions }, ctx: BotContext) {
  if (!ctx.chat || !isGroup(ctx.chat)) {
    const cancel = { text: ctx.texts.buttons.cancel, choice: { kind: 'cancel-dialog' } as const };
    return { reply_markup: await offerKeyboard(deps, ctx.person.id, [[cancel]]) };
  }
  const askedBy = ctx.message?.message_id;
  return {
    reply_markup: { force_reply: true, selective: askedBy !== undefined } as const,
    ...(askedBy === undefined ? {} : { reply_parameters: { message_id: askedBy, allow_sending_without_reply: true } }),
  };
}

async function awaitText(
  handlers: DialogHandlers,
  conversation: Conversation<BotContext, Context>,
  _ctx: Context,
  { purpose, promptId, aboutId }: { purpose: DialogPurpose; promptId: number; aboutId: number | undefined },
): Promise<void> {
  const { message, me, callbackQuery } = await conversation.wait();
  if (callbackQuery) await conversation.skip({ next: true });
  const isAnswer =
    message?.text !== undefined &&
    findLeadingCommand(message) === undefined &&
    (!isGroup(message.chat) || message.reply_to_message?.message_id === promptId);
  if (!isAnswer) return conversation.halt({ next: true });
  const text = readAddressedText(message, me);
  // Only the outer context knows the person; it also keeps all calls under flood control.
  await conversation.external((outer) => handlers[purpose](outer, text, aboutId));
}

/** One dialog per person and place. */
function toDialogKey(ctx: BotContext): string {
  const place = ctx.msg && toPlaceKey(toPlace(ctx.msg));
  return `${place ?? 'nowhere'}:${ctx.person.id}`;
}

function toStorage(interactions: Interactions) {
  return {
    // Written by `write` alone; the plugin checks the version that it put beside its state.
    read: async (key: string) => (await interactions.readDialog(key)) as VersionedState<ConversationData> | undefined,
    write: (key: string, state: VersionedState<ConversationData>) => interactions.writeDialog(key, state),
    delete: (key: string) => interactions.deleteDialog(key),
  };
}
