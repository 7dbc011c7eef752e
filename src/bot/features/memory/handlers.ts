import { Composer } from 'grammy';
import type { Memory } from '../../../core/memory/index.ts';
import type { CallbackActionOf } from '../../framework/callback-action.ts';
import { toOwner } from '../../framework/chat-owner.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog } from '../../framework/dialog.ts';
import type { FeatureHandlers } from '../../framework/feature.ts';
import { storeKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { type ActionAnswer, onAction } from '../../framework/on-action.ts';
import { toSearch } from '../../framework/search.ts';
import { showMessage } from '../../framework/show-message.ts';
import { showView } from '../../framework/view.ts';
import type { MemoryListing } from './actions.ts';
import { toMemoryMenu } from './memory-menu.ts';
import { findMemoryNotes } from './memory-notes.ts';
import { mayChange, mayManage } from './memory-owner.ts';
import { createMemoryTools } from './memory-tools.ts';
import { toMemoryView } from './memory-view.ts';
import { createRememberCommand, rememberByText, rewriteByText } from './remember.ts';
import type { MemoryServices } from './services.ts';
import { texts } from './texts/index.ts';
import { createUsedMemories } from './used-memories.ts';

/** `/memory`: the memories of the user, or in groups of the group, in pages. */
export function createHandlers(deps: MemoryServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('memory', (ctx) => listMemories(deps, ctx, ctx.match));
  composer.use(
    onAction(deps, 'list-memories', (ctx, listing) => showing(deps, ctx, listing)),
    onAction(deps, 'search-memories', (ctx) => ({
      afterwards: () => beginDialog(deps, ctx, 'memory-search', texts[ctx.locale].askSearch),
    })),
    onAction(deps, 'show-memory', (ctx, { memoryId, ...listing }) =>
      withMemory(deps, ctx, memoryId, (memory) => ({
        afterwards: async () => showView(ctx, await toMemoryView(deps, ctx, memory, listing)),
      })),
    ),
    onAction(deps, 'show-memory-source', (ctx, { memoryId }) =>
      withMemory(deps, ctx, memoryId, (memory) => showSource(ctx, memory)),
    ),
    onAction(deps, 'edit-memory', (ctx, { memoryId }) =>
      withChangeable(deps, ctx, memoryId, () => ({
        afterwards: () => beginDialog(deps, ctx, 'memory-text', texts[ctx.locale].askNewText, memoryId),
      })),
    ),
    onAction(deps, 'delete-memory', (ctx, { memoryId, ...listing }) =>
      withChangeable(deps, ctx, memoryId, async ({ text }) => {
        await deps.memories.remove(toOwner(ctx), memoryId);
        return showing(deps, ctx, listing, texts[ctx.locale].deleted(text));
      }),
    ),
    onAction(deps, 'delete-memories', async (ctx, { back }) => {
      if (!(await mayManage(ctx))) return toOnlyAdmins(ctx);
      return { afterwards: () => askDeletion(deps, ctx, back) };
    }),
    onAction(deps, 'delete-memories-for-good', async (ctx, { back }) => {
      if (!(await mayManage(ctx))) return toOnlyAdmins(ctx);
      const count = await deps.memories.removeAll(toOwner(ctx));
      return showing(deps, ctx, { page: 0, back }, texts[ctx.locale].deletedAll(count));
    }),
    onAction(deps, 'switch-memory', (ctx, action) => switchMemory(deps, ctx, action)),
    createRememberCommand(deps),
    createUsedMemories(deps),
  );
  return {
    tools: (answer) => createMemoryTools(deps, answer),
    instructions: (answer) => findMemoryNotes(deps, answer),
    middleware: composer,
    dialogs: {
      'memory-search': (ctx, text) => listMemories(deps, ctx, text),
      'memory-new': (ctx, text) => rememberByText(deps, ctx, text),
      'memory-text': (ctx, text, memoryId) => rewriteByText(deps, ctx, text, memoryId),
    },
  };
}

/** Shows the memories that fit the text; all if it is empty. */
async function listMemories(deps: MemoryServices, ctx: BotContext, written: string): Promise<void> {
  await showView(ctx, await toMemoryMenu(deps, ctx, { page: 0, search: toSearch(written) }));
}

function showing(deps: MemoryServices, ctx: BotContext, listing: MemoryListing, news?: string): ActionAnswer {
  return { afterwards: async () => showView(ctx, await toMemoryMenu(deps, ctx, listing, news)) };
}

/** Calls `handle` with a memory of this chat; otherwise says that it is gone. */
async function withMemory(
  deps: MemoryServices,
  ctx: BotContext,
  memoryId: number,
  handle: (memory: Memory) => Promise<ActionAnswer> | ActionAnswer,
): Promise<ActionAnswer> {
  const memory = await deps.memories.find(toOwner(ctx), memoryId);
  return memory ? handle(memory) : { hint: texts[ctx.locale].gone, ...showing(deps, ctx, { page: 0 }) };
}

/** The same for a memory that the user may change. */
function withChangeable(
  deps: MemoryServices,
  ctx: BotContext,
  memoryId: number,
  handle: (memory: Memory) => Promise<ActionAnswer> | ActionAnswer,
): Promise<ActionAnswer> {
  return withMemory(deps, ctx, memoryId, async (memory) =>
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

async function askDeletion(deps: MemoryServices, ctx: BotContext, back: MemoryListing['back']): Promise<void> {
  const words = texts[ctx.locale];
  const { length: count } = await deps.memories.list(toOwner(ctx));
  if (count === 0) return void (await showView(ctx, await toMemoryMenu(deps, ctx, { page: 0, back })));
  const keyboard = await storeKeyboard(deps, toButtonTarget(ctx), [
    [{ text: words.buttons.deleteAllForGood, action: { kind: 'delete-memories-for-good', back } }],
    [{ text: ctx.texts.buttons.back, action: { kind: 'list-memories', page: 0, back } }],
  ]);
  await showView(ctx, { text: words.askDeletion(count), keyboard });
}

/** Switches memory of the user or the group on or off; a group's members get a notice. Memories are kept. */
async function switchMemory(
  deps: MemoryServices,
  ctx: BotContext,
  { isOn, back }: CallbackActionOf<'switch-memory'>,
): Promise<ActionAnswer> {
  if (!(await mayManage(ctx))) return toOnlyAdmins(ctx);
  const owner = toOwner(ctx);
  if ('userId' in owner) {
    ctx.user = await deps.accounts.updateSettings(owner.userId, { hasMemory: isOn ? undefined : false });
    return showing(deps, ctx, { page: 0, back });
  }
  const isNews = (ctx.group?.settings.hasMemory === true) !== isOn;
  ctx.group = await deps.groups.change(owner.groupId, { hasMemory: isOn ? true : undefined });
  return {
    afterwards: async () => {
      await showView(ctx, await toMemoryMenu(deps, ctx, { page: 0, back }));
      if (isNews) await ctx.reply(isOn ? texts[ctx.locale].switchedOn : texts[ctx.locale].switchedOff);
    },
  };
}
