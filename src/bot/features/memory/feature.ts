import { Composer } from 'grammy';
import { z } from 'zod';
import type { Memory } from '../../../core/memory/index.ts';
import { type ActionAnswer, type CallbackActionOf, type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import { toOwner } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog } from '../../kit/dialogs.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import { origin, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import { toSearch } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { showMessage, showView } from '../../kit/views.ts';
import { isOfThisChat } from '../conversations/own-conversation.ts';
import { mayChange, mayManage } from './memory-access.ts';
import { findMemoryNotes } from './memory-notes.ts';
import { createMemoryTools } from './memory-tools.ts';
import { createRememberCommand, rememberByText, rewriteByText } from './remember.ts';
import { texts } from './texts.ts';
import { type MemoryListing, toListKeyboard, toMemoryMenu, toMemoryView } from './views.ts';

/** Page of the list, the search that it shows, and the menu that it was opened from. */
const listing = { page: z.number(), search: z.string().optional(), ...origin };
const oneMemory = { memoryId: z.number(), ...listing };

const actions = {
  'list-memories': { fields: listing },
  'search-memories': { fields: {} },
  'add-memory': { fields: {} },
  'show-memory': { fields: oneMemory },
  'show-memory-source': { fields: { memoryId: z.number() } },
  'edit-memory': { fields: { memoryId: z.number() } },
  'delete-memory': { fields: oneMemory },
  /** Asks for confirmation. */
  'delete-memories': { fields: origin },
  'delete-memories-for-good': { fields: origin },
  'switch-memory': { fields: { isOn: z.boolean(), ...origin } },
  /** Below an answer: lists the memories that its model was given. */
  'show-used-memories': { fields: { answerId: z.number() }, access: 'user-or-admin' },
} as const;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'memory-search': never;
    'memory-new': never;
    'memory-text': never;
  }
}

/**
 * `/memory` and `/remember`: what models remember of a user in private chats, and of a group in it. `/memory` lists it
 * in pages.
 */
export const memory: Feature = {
  commands: [
    { name: 'memory', menus: ['private', 'group'], describe: (locale) => texts[locale].command },
    { name: 'remember', menus: [] },
  ],
  actions,
  create: createHandlers,
};

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('memory', (ctx) => listMemories(services, ctx, ctx.match));
  composer.use(
    onAction(services, 'list-memories', (ctx, listing) => showing(services, ctx, listing)),
    onAction(services, 'search-memories', (ctx) => ({
      afterwards: () => beginDialog(services, ctx, 'memory-search', texts[ctx.locale].askSearch),
    })),
    onAction(services, 'show-memory', (ctx, { memoryId, ...listing }) =>
      withMemory(services, ctx, memoryId, (memory) => ({
        afterwards: async () => showView(ctx, await toMemoryView(services, ctx, memory, listing)),
      })),
    ),
    onAction(services, 'show-memory-source', (ctx, { memoryId }) =>
      withMemory(services, ctx, memoryId, (memory) => showSource(ctx, memory)),
    ),
    onAction(services, 'edit-memory', (ctx, { memoryId }) =>
      withChangeable(services, ctx, memoryId, () => ({
        afterwards: () => beginDialog(services, ctx, 'memory-text', texts[ctx.locale].askNewText, memoryId),
      })),
    ),
    onAction(services, 'delete-memory', (ctx, { memoryId, ...listing }) =>
      withChangeable(services, ctx, memoryId, async ({ text }) => {
        await services.memories.remove(toOwner(ctx), memoryId);
        return showing(services, ctx, listing, texts[ctx.locale].deleted(text));
      }),
    ),
    onAction(services, 'delete-memories', async (ctx, { back }) => {
      if (!(await mayManage(ctx))) return toOnlyAdmins(ctx);
      return { afterwards: () => askDeletion(services, ctx, back) };
    }),
    onAction(services, 'delete-memories-for-good', async (ctx, { back }) => {
      if (!(await mayManage(ctx))) return toOnlyAdmins(ctx);
      const count = await services.memories.removeAll(toOwner(ctx));
      return showing(services, ctx, { page: 0, back }, texts[ctx.locale].deletedAll(count));
    }),
    onAction(services, 'switch-memory', (ctx, action) => switchMemory(services, ctx, action)),
    createRememberCommand(services),
    createUsedMemories(services),
  );
  return {
    tools: (answer) => createMemoryTools(services, answer),
    instructions: (answer) => findMemoryNotes(services, answer),
    middleware: composer,
    dialogs: {
      'memory-search': (ctx, text) => listMemories(services, ctx, text),
      'memory-new': (ctx, text) => rememberByText(services, ctx, text),
      'memory-text': (ctx, text, memoryId) => rewriteByText(services, ctx, text, memoryId),
    },
  };
}

/** Shows the memories that fit the text; all if it is empty. */
async function listMemories(services: BotServices, ctx: BotContext, written: string): Promise<void> {
  await showView(ctx, await toMemoryMenu(services, ctx, { page: 0, search: toSearch(written) }));
}

function showing(services: BotServices, ctx: BotContext, listing: MemoryListing, news?: string): ActionAnswer {
  return { afterwards: async () => showView(ctx, await toMemoryMenu(services, ctx, listing, news)) };
}

/** Calls `handle` with a memory of this chat; otherwise says that it is gone. */
async function withMemory(
  services: BotServices,
  ctx: BotContext,
  memoryId: number,
  handle: (memory: Memory) => Promise<ActionAnswer> | ActionAnswer,
): Promise<ActionAnswer> {
  const memory = await services.memories.find(toOwner(ctx), memoryId);
  return memory ? handle(memory) : { hint: texts[ctx.locale].gone, ...showing(services, ctx, { page: 0 }) };
}

/** The same for a memory that the user may change. */
function withChangeable(
  services: BotServices,
  ctx: BotContext,
  memoryId: number,
  handle: (memory: Memory) => Promise<ActionAnswer> | ActionAnswer,
): Promise<ActionAnswer> {
  return withMemory(services, ctx, memoryId, async (memory) =>
    (await mayChange(ctx, memory)) ? handle(memory) : { hint: texts[ctx.locale].onlyAuthor, isAlert: true },
  );
}

async function showSource(ctx: BotContext, { text, source }: Memory): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  const isHere = source !== undefined && source.chatId === ctx.chatId;
  const isShown = isHere && (await showMessage(ctx, source.telegramMessageId, words.isSource(text)));
  return isShown ? {} : { hint: words.sourceGone, isAlert: true };
}

function toOnlyAdmins({ texts }: BotContext): ActionAnswer {
  return { hint: texts.groups.onlyAdmins, isAlert: true };
}

async function askDeletion(services: BotServices, ctx: BotContext, back: MemoryListing['back']): Promise<void> {
  const words = texts[ctx.locale];
  const { length: count } = await services.memories.list(toOwner(ctx));
  if (count === 0) return void (await showView(ctx, await toMemoryMenu(services, ctx, { page: 0, back })));
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    [{ text: words.buttons.deleteAllForGood, action: { kind: 'delete-memories-for-good', back } }],
    [{ text: ctx.texts.buttons.back, action: { kind: 'list-memories', page: 0, back } }],
  ]);
  await showView(ctx, { text: words.askDeletion(count), keyboard });
}

/** Switches memory of the user or the group on or off; a group's members get a notice. Memories are kept. */
async function switchMemory(
  services: BotServices,
  ctx: BotContext,
  { isOn, back }: CallbackActionOf<'switch-memory'>,
): Promise<ActionAnswer> {
  if (!(await mayManage(ctx))) return toOnlyAdmins(ctx);
  const owner = toOwner(ctx);
  if ('userId' in owner) {
    ctx.user = await services.accounts.updateSettings(owner.userId, { hasMemory: isOn ? undefined : false });
    return showing(services, ctx, { page: 0, back });
  }
  const isNews = (ctx.group?.settings.hasMemory === true) !== isOn;
  ctx.group = await services.groups.change(owner.groupId, { hasMemory: isOn ? true : undefined });
  return {
    afterwards: async () => {
      await showView(ctx, await toMemoryMenu(services, ctx, { page: 0, back }));
      if (isNews) await ctx.reply(isOn ? texts[ctx.locale].switchedOn : texts[ctx.locale].switchedOff);
    },
  };
}

/** Leaves space in a message for the other lines. */
const MAX_CHARACTERS = 3500;

/** Handles 🧠 below an answer: lists the memories that its model was given. */
function createUsedMemories(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'show-used-memories', async (ctx, { answerId }): Promise<ActionAnswer> => {
      const answer = await services.conversations.findMessage(answerId);
      if (!answer || !(await isOfThisChat(services, ctx, answer.conversationId)))
        return { hint: ctx.texts.staleButton };
      return { afterwards: () => listUsed(services, ctx, answer.extras.memoryIds ?? []) };
    }),
  );
  return composer;
}

/** Replies to the answer with its memories, newest first. Those that were deleted since are only counted. */
async function listUsed(services: BotServices, ctx: BotContext, memoryIds: readonly number[]): Promise<void> {
  const words = texts[ctx.locale];
  const all = await services.memories.list(toOwner(ctx));
  const used = all.filter(({ id }) => memoryIds.includes(id)).toReversed();
  const lines: string[] = [];
  let characters = 0;
  for (const { text } of used) {
    characters += text.length + 3;
    if (characters > MAX_CHARACTERS) break;
    lines.push(`• ${text}`);
  }
  const goneCount = memoryIds.length - used.length;
  const text = [
    words.used,
    '',
    ...lines,
    ...(lines.length < used.length ? [words.more(used.length - lines.length)] : []),
    ...(goneCount > 0 ? [words.deletedSince(goneCount)] : []),
  ].join('\n');
  await ctx.reply(text, {
    link_preview_options: { is_disabled: true },
    reply_markup: await toListKeyboard(services, ctx),
    ...(ctx.msgId !== undefined && {
      reply_parameters: { message_id: ctx.msgId, allow_sending_without_reply: true },
    }),
  });
}
