import {
  type Conversation,
  type ConversationData,
  conversations,
  createConversation,
  type VersionedState,
} from '@grammyjs/conversations';
import { Composer, type Context } from 'grammy';
import type { Interactions } from '../../core/interactions/index.ts';
import { findLeadingCommand, readAddressedText } from './address.ts';
import type { BotDeps } from './bot-deps.ts';
import type { BotContext } from './context.ts';
import { toFullName } from './full-name.ts';
import { offerKeyboard, toButtonTarget } from './keyboard.ts';
import type { KeyboardChanges } from './keyboard-changes.ts';
import { isGroup, toPlace, toPlaceKey } from './place.ts';

/** The purposes of all dialogs. Each feature adds its own (declaration merging). */
// biome-ignore lint/suspicious/noEmptyInterface: features add to it
export interface FeatureDialogs {}

/** What the bot has asked a person to write. */
export type DialogPurpose = keyof FeatureDialogs;

/** What a text is for, where the purpose alone does not tell: the id of a drawing, a file, a key, a conversation, a persona, or the name of a new one. */
export type DialogSubject = number | string | undefined;

/** Asked for in any form; a dialog about anything else waits for a text. */
const ANY_MESSAGE: DialogPurpose = 'announcement';

/** What is done with the text that a person wrote in answer; `aboutId` is what `beginDialog` was given. */
export type DialogHandlers = Readonly<
  Record<DialogPurpose, (ctx: BotContext, text: string, aboutId: DialogSubject) => Promise<void>>
>;

/** A text that a person wrote because the bot had asked for it. */
interface DialogAnswer {
  readonly purpose: DialogPurpose;
  readonly text: string;
  readonly aboutId: DialogSubject;
}

const DIALOG = 'ask-for-text';
const MAX_DIALOG_MS = 15 * 60_000;

/**
 * Dialogs of two steps: the bot asks, the person writes. They live in the database, so they survive a restart. A command,
 * anything that is no text (where a text is asked for), and 15 minutes of silence end a dialog; whatever ended it is then handled as usual.
 */
export function createDialogs(
  deps: Pick<BotDeps, 'client' | 'interactions'> & { readonly keyboards: Pick<KeyboardChanges, 'make'> },
  handlers: Partial<DialogHandlers>,
): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  const answers = new WeakMap<BotContext, DialogAnswer>();
  composer.use(
    async (ctx, next) => {
      try {
        await next();
      } finally {
        if (ctx.prompt?.isOver) removeCancel(deps, ctx, ctx.prompt.messageId);
      }
    },
    conversations<BotContext, Context>({
      storage: { type: 'key', prefix: 'dialog:', getStorageKey: toDialogKey, adapter: toStorage(deps.interactions) },
    }),
    createConversation<BotContext, Context>(
      async (conversation, _ctx, purpose: DialogPurpose, promptId: number, aboutId?: DialogSubject) => {
        const text = await awaitText(conversation, promptId, purpose === ANY_MESSAGE);
        await conversation.external((outer) => void answers.set(outer, { purpose, text, aboutId }));
        // Handled once the dialog has ended: what is begun inside of it would end with it.
        await conversation.halt({ next: true });
      },
      { id: DIALOG, maxMillisecondsToWait: MAX_DIALOG_MS },
    ),
    async (ctx, next) => {
      const answer = answers.get(ctx);
      if (!answer) return next();
      await handlers[answer.purpose]?.(ctx, answer.text, answer.aboutId);
    },
  );
  return composer;
}

/**
 * Asks for a text in place of whatever was asked before. In groups the person, and nobody else, is led to reply, because other messages don't reach bots.
 * @param aboutId what the text is for, where the purpose alone does not tell.
 */
export async function beginDialog(
  deps: { readonly interactions: Interactions },
  ctx: BotContext,
  purpose: DialogPurpose,
  question: string,
  aboutId?: DialogSubject,
): Promise<void> {
  await ctx.conversation.exitAll();
  if (ctx.prompt) ctx.prompt = { ...ctx.prompt, isOver: true };
  const prompt = await (ctx.chat && isGroup(ctx.chat) ? askInGroup(ctx, question) : askInPrivate(deps, ctx, question));
  await ctx.conversation.enter(DIALOG, purpose, prompt.message_id, ...(aboutId === undefined ? [] : [aboutId]));
}

/** Soon, as nobody waits for it: a question that is answered or replaced can't be cancelled. */
function removeCancel(
  { client, keyboards }: Pick<BotDeps, 'client'> & { readonly keyboards: Pick<KeyboardChanges, 'make'> },
  { chat }: BotContext,
  messageId: number,
): void {
  if (!chat || isGroup(chat)) return;
  keyboards.make(`prompt:${chat.id}:${messageId}`, () =>
    client.withPriority('preview').editMessageReplyMarkup(chat.id, messageId),
  );
}

async function askInPrivate(deps: { readonly interactions: Interactions }, ctx: BotContext, question: string) {
  const cancel = { text: ctx.texts.buttons.cancel, choice: { kind: 'cancel-dialog' } as const };
  return ctx.reply(question, { reply_markup: await offerKeyboard(deps, toButtonTarget(ctx), [[cancel]]) });
}

/**
 * Apps open a reply for whoever is meant alone (`selective`): the author of the message that the question replies to, or who is named in
 * it. A press is no message, so there the person is named.
 */
function askInGroup(ctx: BotContext, question: string) {
  const reply_markup = { force_reply: true, selective: true } as const;
  const { from: user } = ctx;
  if (ctx.message || !user) return ctx.reply(question, { reply_markup });
  const name = toFullName(user);
  const mention = { type: 'text_mention', offset: 0, length: name.length, user } as const;
  return ctx.reply(`${name},\n${question}`, { reply_markup, entities: [mention] });
}

/** Of a message that has no text, an empty one. */
async function awaitText(
  conversation: Conversation<BotContext, Context>,
  promptId: number,
  takesAnything: boolean,
): Promise<string> {
  const { message, me, callbackQuery } = await conversation.wait();
  // A press ends a dialog where it begins another one.
  await conversation.external((outer) => {
    outer.prompt = { messageId: promptId, isOver: callbackQuery === undefined };
  });
  if (callbackQuery) await conversation.skip({ next: true });
  const isAnswer =
    message !== undefined &&
    (takesAnything || message.text !== undefined) &&
    findLeadingCommand(message) === undefined &&
    (!isGroup(message.chat) || message.reply_to_message?.message_id === promptId);
  return isAnswer ? readAddressedText(message, me) : conversation.halt({ next: true });
}

/** One dialog per person and place. */
function toDialogKey(ctx: BotContext): string {
  const place = ctx.msg && toPlaceKey(toPlace(ctx.msg));
  return `${place ?? 'nowhere'}:${ctx.user.id}`;
}

function toStorage(interactions: Interactions) {
  return {
    // Written by `write` alone; the plugin checks the version that it put beside its state.
    read: async (key: string) => (await interactions.readDialog(key)) as VersionedState<ConversationData> | undefined,
    write: (key: string, state: VersionedState<ConversationData>) => interactions.writeDialog(key, withoutWords(state)),
    delete: (key: string) => interactions.deleteDialog(key),
  };
}

/** Where words stand in messages. */
const WORDS: ReadonlySet<string> = new Set(['text', 'caption']);

/**
 * The plugin keeps the update with which a dialog began, and nobody reads it. What people write stays out: perhaps it was a
 * password.
 */
function withoutWords(state: VersionedState<ConversationData>): VersionedState<ConversationData> {
  return JSON.parse(JSON.stringify(state, (key, value: unknown) => (WORDS.has(key) ? undefined : value)));
}
