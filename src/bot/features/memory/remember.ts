import { Composer } from 'grammy';
import { MAX_MEMORIES, MAX_MEMORY_CHARACTERS, type MemorySource, toMemoryText } from '../../../core/memory/index.ts';
import { onAction } from '../../kit/actions.ts';
import { toOwner } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog, type DialogSubject } from '../../kit/dialogs.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { isMemoryOn, mayChange } from './memory-access.ts';
import { texts } from './texts.ts';
import { toListKeyboard, toMemoryView } from './views.ts';

/** `/remember` with a text, or asking for it. */
export function createRememberCommand(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('remember', async (ctx) => {
    if (!isMemoryOn(ctx)) return showOff(services, ctx);
    if (ctx.match.trim() !== '') return rememberByText(services, ctx, ctx.match);
    await beginDialog(services, ctx, 'memory-new', texts[ctx.locale].askText);
  });
  composer.use(
    onAction(services, 'add-memory', (ctx) => ({
      afterwards: () => beginDialog(services, ctx, 'memory-new', texts[ctx.locale].askText),
    })),
  );
  return composer;
}

/** Adds the text that the user has sent to the memories of the chat. */
export async function rememberByText(services: BotServices, ctx: BotContext, written: string): Promise<void> {
  const words = texts[ctx.locale];
  const text = toMemoryText(written);
  const problem = findProblem(ctx, text);
  if (problem !== undefined) return beginDialog(services, ctx, 'memory-new', problem);
  const added = await services.memories.add(toOwner(ctx), { text, authorId: ctx.user.id, source: toSource(ctx) });
  if (added === 'off') return showOff(services, ctx);
  if (added === 'full') return showWithList(services, ctx, words.full(MAX_MEMORIES));
  await showWithList(services, ctx, added === 'known' ? words.known : words.remembered(added.text));
}

/** Replaces a memory by the text that the user has sent. */
export async function rewriteByText(
  services: BotServices,
  ctx: BotContext,
  written: string,
  memoryId: DialogSubject,
): Promise<void> {
  const words = texts[ctx.locale];
  const owner = toOwner(ctx);
  const memory = typeof memoryId === 'number' ? await services.memories.find(owner, memoryId) : undefined;
  if (!memory) return void (await ctx.reply(words.gone));
  if (!(await mayChange(ctx, memory))) return void (await ctx.reply(words.onlyAuthor));
  const text = toMemoryText(written);
  const problem = findProblem(ctx, text);
  if (problem !== undefined) return beginDialog(services, ctx, 'memory-text', problem, memory.id);
  const changed = await services.memories.change(owner, memory.id, {
    text,
    authorId: ctx.user.id,
    source: toSource(ctx),
  });
  if (changed === 'known') return beginDialog(services, ctx, 'memory-text', words.known, memory.id);
  if (changed === 'gone') return void (await ctx.reply(words.gone));
  await showView(ctx, await toMemoryView(services, ctx, changed, { page: 0 }, words.saved));
}

function findProblem({ locale }: BotContext, text: string): string | undefined {
  const { length } = [...text];
  if (length === 0) return texts[locale].askText;
  return length > MAX_MEMORY_CHARACTERS ? texts[locale].tooLong(length, MAX_MEMORY_CHARACTERS) : undefined;
}

function toSource({ chatId, msgId }: BotContext): MemorySource | undefined {
  return chatId === undefined || msgId === undefined ? undefined : { chatId, telegramMessageId: msgId };
}

/** Says that memory is off, with a button to the menu that switches it on. */
async function showOff(services: BotServices, ctx: BotContext): Promise<void> {
  const { off, groupOff } = texts[ctx.locale];
  await showWithList(services, ctx, ctx.group ? groupOff : off);
}

async function showWithList(services: BotServices, ctx: BotContext, text: string): Promise<void> {
  await showView(ctx, { text, keyboard: await toListKeyboard(services, ctx) });
}
