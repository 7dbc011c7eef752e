import { Composer } from 'grammy';
import { MAX_PERSONAS, type OwnPersona } from '../../../core/personas/index.ts';
import { toStartLink } from '../../../lib/start-link.ts';
import { toOneLine } from '../../../lib/text.ts';
import { toOwn } from '../../choices/personas.ts';
import { type ActionAnswer, onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog, type DialogSubject } from '../../kit/dialogs.ts';
import { storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { texts } from './texts.ts';
import { toGonePersona, toPersonaMenu, toPersonaView } from './views.ts';

export const MAX_NAME_CHARACTERS = 40;

/**
 * The user's own personas: created in two steps, renamed, rewritten, shared as copies, deleted. For their owner only.
 */
export function createOwnPersonas(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'make-persona', async (ctx) => {
      const words = texts[ctx.locale];
      const own = await services.personas.list(ctx.user.id);
      if (own.length >= MAX_PERSONAS) return { hint: words.full(MAX_PERSONAS), isAlert: true };
      return { afterwards: () => beginDialog(services, ctx, 'persona-name', words.askName(MAX_NAME_CHARACTERS)) };
    }),
    onAction(services, 'rename-persona', (ctx, { personaId }) =>
      withOwn(services, ctx, personaId, ({ id }) =>
        beginDialog(services, ctx, 'persona-new-name', texts[ctx.locale].askNewName, id),
      ),
    ),
    onAction(services, 'edit-persona', (ctx, { personaId }) =>
      withOwn(services, ctx, personaId, ({ id, name }) =>
        beginDialog(services, ctx, 'persona-new-instructions', texts[ctx.locale].askInstructions(name), id),
      ),
    ),
    onAction(services, 'share-persona', (ctx, { personaId }) =>
      withOwn(services, ctx, personaId, (own) => askSharing(services, ctx, own)),
    ),
    onAction(services, 'share-persona-now', (ctx, { personaId }) =>
      withOwn(services, ctx, personaId, async () => {
        const shared = await services.personas.share(personaId, { userId: ctx.user.id });
        if (shared?.shareKey === undefined) return;
        const news = texts[ctx.locale].shared(toStartLink(services, ctx.me, 'persona', shared.shareKey));
        await showView(ctx, await toPersonaView(services, ctx, toOwn(shared), { news }));
      }),
    ),
    onAction(services, 'unshare-persona', (ctx, { personaId }) =>
      withOwn(services, ctx, personaId, async () => {
        const own = await services.personas.unshare(personaId, { userId: ctx.user.id });
        const news = texts[ctx.locale].unshared;
        if (own) await showView(ctx, await toPersonaView(services, ctx, toOwn(own), { news }));
      }),
    ),
    onAction(services, 'delete-persona', (ctx, { personaId }) =>
      withOwn(services, ctx, personaId, (own) => askDeletion(services, ctx, own)),
    ),
    onAction(services, 'delete-persona-for-good', async (ctx, { personaId }) => {
      const own = await findOwn(services, ctx, personaId);
      if (!own || !(await services.personas.remove(personaId, { userId: ctx.user.id })))
        return toGonePersona(services, ctx);
      if (ctx.user.settings.persona === toOwn(own).reference)
        ctx.user = await services.accounts.updateSettings(ctx.user.id, { persona: undefined });
      const news = texts[ctx.locale].deleted(own.name);
      return { afterwards: async () => showView(ctx, await toPersonaMenu(services, ctx, { news })) };
    }),
  );
  return composer;
}

/** First step of a new persona: its name. */
export async function namePersonaByText(services: BotServices, ctx: BotContext, text: string): Promise<void> {
  const words = texts[ctx.locale];
  const name = readName(text);
  if (name === undefined) return beginDialog(services, ctx, 'persona-name', words.badName(MAX_NAME_CHARACTERS));
  const own = await services.personas.list(ctx.user.id);
  const isTaken = own.some((other) => other.name.toLowerCase() === name.toLowerCase());
  if (isTaken) return beginDialog(services, ctx, 'persona-name', words.nameTaken(name));
  await beginDialog(services, ctx, 'persona-instructions', words.askInstructions(name), name);
}

/** Second step of a new persona: its instructions. */
export async function makePersonaByText(services: BotServices, ctx: BotContext, text: string, subject: DialogSubject) {
  const words = texts[ctx.locale];
  const name = typeof subject === 'string' ? subject : undefined;
  if (name === undefined) return;
  const instructions = text.trim();
  const problem = findProblem(ctx, instructions);
  if (problem !== undefined) return beginDialog(services, ctx, 'persona-instructions', problem, name);
  const made = await services.personas.add(ctx.user.id, { name, instructions });
  if (made === 'full') return void (await ctx.reply(words.full(MAX_PERSONAS)));
  if (made === 'taken') return beginDialog(services, ctx, 'persona-name', words.nameTaken(name));
  await showView(ctx, await toPersonaView(services, ctx, toOwn(made), { news: words.made(name) }));
}

/** Renames a persona to the text that the user sent. */
export async function renamePersonaByText(
  services: BotServices,
  ctx: BotContext,
  text: string,
  subject: DialogSubject,
) {
  const words = texts[ctx.locale];
  const own = await findOwn(services, ctx, subject);
  if (!own) return void (await ctx.reply(words.gone));
  const name = readName(text);
  if (name === undefined)
    return beginDialog(services, ctx, 'persona-new-name', words.badName(MAX_NAME_CHARACTERS), own.id);
  const changed = await services.personas.change(own.id, { userId: ctx.user.id }, { name });
  if (changed === 'taken') return beginDialog(services, ctx, 'persona-new-name', words.nameTaken(name), own.id);
  await showChanged(services, ctx, changed);
}

/** Replaces the instructions of a persona. */
export async function rewritePersonaByText(
  services: BotServices,
  ctx: BotContext,
  text: string,
  subject: DialogSubject,
) {
  const own = await findOwn(services, ctx, subject);
  if (!own) return void (await ctx.reply(texts[ctx.locale].gone));
  const instructions = text.trim();
  const problem = findProblem(ctx, instructions);
  if (problem !== undefined) return beginDialog(services, ctx, 'persona-new-instructions', problem, own.id);
  await showChanged(services, ctx, await services.personas.change(own.id, { userId: ctx.user.id }, { instructions }));
}

async function showChanged(
  services: BotServices,
  ctx: BotContext,
  changed: OwnPersona | 'gone' | 'taken',
): Promise<void> {
  const words = texts[ctx.locale];
  if (typeof changed === 'string') return void (await ctx.reply(words.gone));
  await showView(ctx, await toPersonaView(services, ctx, toOwn(changed), { news: words.saved }));
}

function readName(text: string): string | undefined {
  const name = toOneLine(text);
  return name === '' || Array.from(name).length > MAX_NAME_CHARACTERS ? undefined : name;
}

/** Leaves space in a message for the name and a few notes. */
const MAX_INSTRUCTIONS = 3800;

function findProblem({ locale }: BotContext, instructions: string): string | undefined {
  if (instructions === '') return texts[locale].noInstructions;
  if (instructions.length <= MAX_INSTRUCTIONS) return undefined;
  return texts[locale].instructionsTooLong(instructions.length, MAX_INSTRUCTIONS);
}

async function findOwn(services: BotServices, ctx: BotContext, id: DialogSubject): Promise<OwnPersona | undefined> {
  const found = typeof id === 'number' ? await services.personas.find(id) : undefined;
  return found?.userId === ctx.user.id ? found : undefined;
}

async function withOwn(
  services: BotServices,
  ctx: BotContext,
  personaId: number,
  afterwards: (own: OwnPersona) => Promise<unknown>,
): Promise<ActionAnswer> {
  const own = await findOwn(services, ctx, personaId);
  return own ? { afterwards: () => afterwards(own) } : toGonePersona(services, ctx);
}

async function askSharing(services: BotServices, ctx: BotContext, own: OwnPersona): Promise<void> {
  const words = texts[ctx.locale];
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    [{ text: words.buttons.shareNow, action: { kind: 'share-persona-now', personaId: own.id } }],
    [{ text: ctx.texts.buttons.back, action: { kind: 'show-persona', persona: toOwn(own).reference } }],
  ]);
  await showView(ctx, { text: `${toOwn(own).label}\n\n${words.askSharing}`, keyboard });
}

async function askDeletion(services: BotServices, ctx: BotContext, own: OwnPersona): Promise<void> {
  const words = texts[ctx.locale];
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    [
      { text: words.buttons.deleteForGood, action: { kind: 'delete-persona-for-good', personaId: own.id } },
      { text: words.buttons.keep, action: { kind: 'show-persona', persona: toOwn(own).reference } },
    ],
  ]);
  const view = await toPersonaView(services, ctx, toOwn(own), { news: words.askDeletion });
  await showView(ctx, { ...view, keyboard });
}
