import {
  type Conversation,
  type ConversationData,
  conversations,
  createConversation,
  type VersionedState,
} from '@grammyjs/conversations';
import { Composer, type Context } from 'grammy';
import type { Message } from 'grammy/types';
import type { Interactions } from '../../core/interactions/index.ts';
import { findLeadingCommand, readAddressedText } from './address.ts';
import { isGroup, toChatTopic, toChatTopicKey } from './chats.ts';
import type { BotContext } from './context.ts';
import { storeKeyboard, toButtonTarget } from './keyboards.ts';
import { toFullName } from './names.ts';
import type { BotServices } from './services.ts';

/** Purposes of all dialogs. Each feature adds its own by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: features add to it
export interface FeatureDialogs {}

/** Purpose of the text that the bot has asked a user for. */
export type DialogPurpose = keyof FeatureDialogs;

/**
 * Subject of a dialog: the id of an image request, file, key, conversation or persona, or the name of a new one;
 * undefined if the purpose is enough.
 */
export type DialogSubject = number | string | undefined;

/** Accepts any kind of message; all other dialogs wait for a text that the user has written. */
const ANY_MESSAGE: DialogPurpose = 'announcement';

/** Handlers of the texts that users send; `aboutId` is the subject given to `beginDialog`. */
export type DialogHandlers = Readonly<
  Record<DialogPurpose, (ctx: BotContext, text: string, aboutId: DialogSubject) => Promise<void>>
>;

/** Text that a user sent in a dialog. */
interface DialogAnswer {
  readonly purpose: DialogPurpose;
  readonly text: string;
  readonly aboutId: DialogSubject;
}

const DIALOG = 'ask-for-text';
const MAX_DIALOG_MS = 15 * 60_000;

/**
 * Handles dialogs of two steps: the bot asks, the user answers. Their state is in the database and survives a restart.
 * A command, a message without text or a forwarded one (if a text is asked for), or 15 minutes without an answer ends a
 * dialog; the update that ends it is then handled as usual.
 */
export function createDialogs(services: BotServices, handlers: Partial<DialogHandlers>): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  const answers = new WeakMap<BotContext, DialogAnswer>();
  composer.use(
    async (ctx, next) => {
      try {
        await next();
      } finally {
        if (ctx.prompt?.isOver) removeCancel(services, ctx, ctx.prompt.messageId);
      }
    },
    conversations<BotContext, Context>({
      storage: {
        type: 'key',
        prefix: 'dialog:',
        getStorageKey: toDialogKey,
        adapter: toStorage(services.interactions),
      },
    }),
    createConversation<BotContext, Context>(
      async (conversation, _ctx, purpose: DialogPurpose, promptId: number, aboutId?: DialogSubject) => {
        const text = await awaitText(conversation, promptId, purpose === ANY_MESSAGE);
        await conversation.external((outer) => void answers.set(outer, { purpose, text, aboutId }));
        // Handled after the dialog has ended; a dialog started inside it would end with it.
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
 * Asks for a text and replaces the previous dialog. In groups the prompt makes the user's app reply to it, because
 * other messages don't reach bots.
 * @param aboutId subject of the text, if the purpose is not enough.
 */
export async function beginDialog(
  services: BotServices,
  ctx: BotContext,
  purpose: DialogPurpose,
  question: string,
  aboutId?: DialogSubject,
): Promise<void> {
  await ctx.conversation.exitAll();
  if (ctx.prompt) ctx.prompt = { ...ctx.prompt, isOver: true };
  const prompt = await (ctx.chat && isGroup(ctx.chat)
    ? askInGroup(ctx, question)
    : askInPrivate(services, ctx, question));
  await ctx.conversation.enter(DIALOG, purpose, prompt.message_id, ...(aboutId === undefined ? [] : [aboutId]));
}

/** Schedules the removal of the Cancel button from a prompt that is answered or replaced. */
function removeCancel({ client, keyboards }: BotServices, { chat }: BotContext, messageId: number): void {
  if (!chat || isGroup(chat)) return;
  keyboards.make(`prompt:${chat.id}:${messageId}`, () =>
    client.withPriority('preview').editMessageReplyMarkup(chat.id, messageId),
  );
}

async function askInPrivate(services: BotServices, ctx: BotContext, question: string) {
  const cancel = { text: ctx.texts.buttons.cancel, action: { kind: 'cancel-dialog' } as const };
  return ctx.reply(question, { reply_markup: await storeKeyboard(services, toButtonTarget(ctx), [[cancel]]) });
}

/**
 * Sends a prompt with a selective force reply, which applies to the author of the message that it replies to and to
 * users it mentions. After a callback query there is no message of the user, so the prompt mentions the user.
 */
function askInGroup(ctx: BotContext, question: string) {
  const reply_markup = { force_reply: true, selective: true } as const;
  const { from: user } = ctx;
  if (ctx.message || !user) return ctx.reply(question, { reply_markup });
  const name = toFullName(user);
  const mention = { type: 'text_mention', offset: 0, length: name.length, user } as const;
  return ctx.reply(`${name},\n${question}`, { reply_markup, entities: [mention] });
}

/** Returns the text of the answer; empty for a message without text. */
async function awaitText(
  conversation: Conversation<BotContext, Context>,
  promptId: number,
  takesAnything: boolean,
): Promise<string> {
  const { message, me, callbackQuery } = await conversation.wait();
  // A callback query ends a dialog only by starting another one.
  await conversation.external((outer) => {
    outer.prompt = { messageId: promptId, isOver: callbackQuery === undefined };
  });
  if (callbackQuery) await conversation.skip({ next: true });
  const isAnswer =
    message !== undefined &&
    (takesAnything || (message.text !== undefined && !isOfOthers(message))) &&
    findLeadingCommand(message) === undefined &&
    (!isGroup(message.chat) || message.reply_to_message?.message_id === promptId);
  return isAnswer ? readAddressedText(message, me) : conversation.halt({ next: true });
}

/** Returns whether a message is forwarded or from an inline bot. */
function isOfOthers({ forward_origin: origin, via_bot: bot }: Message): boolean {
  return (origin ?? bot) !== undefined;
}

/** Returns the key of a dialog: one for each user and topic. */
function toDialogKey(ctx: BotContext): string {
  const topicKey = ctx.msg && toChatTopicKey(toChatTopic(ctx.msg));
  return `${topicKey ?? 'nowhere'}:${ctx.user.id}`;
}

function toStorage(interactions: Interactions) {
  return {
    // Written only by `write`; the plugin checks the version that it has stored with the state.
    read: async (key: string) => (await interactions.readDialog(key)) as VersionedState<ConversationData> | undefined,
    write: (key: string, state: VersionedState<ConversationData>) => interactions.writeDialog(key, withoutWords(state)),
    delete: (key: string) => interactions.deleteDialog(key),
  };
}

/** Fields of messages that contain user text. */
const WORDS: ReadonlySet<string> = new Set(['text', 'caption']);

/**
 * Removes user text, such as passwords, from the state. The plugin stores the update that started the dialog, although
 * it is not used.
 */
function withoutWords(state: VersionedState<ConversationData>): VersionedState<ConversationData> {
  return JSON.parse(JSON.stringify(state, (key, value: unknown) => (WORDS.has(key) ? undefined : value)));
}
