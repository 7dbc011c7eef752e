import { Composer } from 'grammy';
import { MAX_PERSONAS, type OwnPersona } from '../../../core/personas/index.ts';
import { toOneLine } from '../../../lib/one-line.ts';
import { toStartLink } from '../../../lib/start-link.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog, type DialogSubject } from '../../framework/dialog.ts';
import { storeKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { type ActionAnswer, onAction } from '../../framework/on-action.ts';
import { showView } from '../../framework/view.ts';
import { toOwn } from '../../personas/persona.ts';
import { toGonePersona } from './persona-choice.ts';
import { type PersonasServices, toPersonaMenu, toPersonaView } from './persona-views.ts';
import { texts } from './texts/index.ts';

export const MAX_NAME_CHARACTERS = 40;
/** Leaves space in a message for the name and a few notes. */
const MAX_INSTRUCTIONS = 3800;

/**
 * The user's own personas: created in two steps, renamed, rewritten, shared as copies, deleted. For their owner only.
 */
export function createOwnPersonas(deps: PersonasServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(deps, 'make-persona', async (ctx) => {
      const words = texts[ctx.locale];
      const own = await deps.personas.list(ctx.user.id);
      if (own.length >= MAX_PERSONAS) return { hint: words.full(MAX_PERSONAS), isAlert: true };
      return { afterwards: () => beginDialog(deps, ctx, 'persona-name', words.askName(MAX_NAME_CHARACTERS)) };
    }),
    onAction(deps, 'rename-persona', (ctx, { personaId }) =>
      withOwn(deps, ctx, personaId, ({ id }) =>
        beginDialog(deps, ctx, 'persona-new-name', texts[ctx.locale].askNewName, id),
      ),
    ),
    onAction(deps, 'edit-persona', (ctx, { personaId }) =>
      withOwn(deps, ctx, personaId, ({ id, name }) =>
        beginDialog(deps, ctx, 'persona-new-instructions', texts[ctx.locale].askInstructions(name), id),
      ),
    ),
    onAction(deps, 'share-persona', (ctx, { personaId }) =>
      withOwn(deps, ctx, personaId, (own) => askSharing(deps, ctx, own)),
    ),
    onAction(deps, 'share-persona-now', (ctx, { personaId }) =>
      withOwn(deps, ctx, personaId, async () => {
        const shared = await deps.personas.share(personaId, { userId: ctx.user.id });
        if (shared?.shareKey === undefined) return;
        const news = texts[ctx.locale].shared(toStartLink(deps, ctx.me, 'persona', shared.shareKey));
        await showView(ctx, await toPersonaView(deps, ctx, toOwn(shared), { news }));
      }),
    ),
    onAction(deps, 'unshare-persona', (ctx, { personaId }) =>
      withOwn(deps, ctx, personaId, async () => {
        const own = await deps.personas.unshare(personaId, { userId: ctx.user.id });
        const news = texts[ctx.locale].unshared;
        if (own) await showView(ctx, await toPersonaView(deps, ctx, toOwn(own), { news }));
      }),
    ),
    onAction(deps, 'delete-persona', (ctx, { personaId }) =>
      withOwn(deps, ctx, personaId, (own) => askDeletion(deps, ctx, own)),
    ),
    onAction(deps, 'delete-persona-for-good', async (ctx, { personaId }) => {
      const own = await findOwn(deps, ctx, personaId);
      if (!own || !(await deps.personas.remove(personaId, { userId: ctx.user.id }))) return toGonePersona(deps, ctx);
      if (ctx.user.settings.persona === toOwn(own).reference)
        ctx.user = await deps.accounts.updateSettings(ctx.user.id, { persona: undefined });
      const news = texts[ctx.locale].deleted(own.name);
      return { afterwards: async () => showView(ctx, await toPersonaMenu(deps, ctx, { news })) };
    }),
  );
  return composer;
}

/** First step of a new persona: its name. */
export async function namePersonaByText(deps: PersonasServices, ctx: BotContext, text: string): Promise<void> {
  const words = texts[ctx.locale];
  const name = readName(text);
  if (name === undefined) return beginDialog(deps, ctx, 'persona-name', words.badName(MAX_NAME_CHARACTERS));
  const own = await deps.personas.list(ctx.user.id);
  const isTaken = own.some((other) => other.name.toLowerCase() === name.toLowerCase());
  if (isTaken) return beginDialog(deps, ctx, 'persona-name', words.nameTaken(name));
  await beginDialog(deps, ctx, 'persona-instructions', words.askInstructions(name), name);
}

/** Second step of a new persona: its instructions. */
export async function makePersonaByText(deps: PersonasServices, ctx: BotContext, text: string, subject: DialogSubject) {
  const words = texts[ctx.locale];
  const name = typeof subject === 'string' ? subject : undefined;
  if (name === undefined) return;
  const instructions = text.trim();
  const problem = findProblem(ctx, instructions);
  if (problem !== undefined) return beginDialog(deps, ctx, 'persona-instructions', problem, name);
  const made = await deps.personas.add(ctx.user.id, { name, instructions });
  if (made === 'full') return void (await ctx.reply(words.full(MAX_PERSONAS)));
  if (made === 'taken') return beginDialog(deps, ctx, 'persona-name', words.nameTaken(name));
  await showView(ctx, await toPersonaView(deps, ctx, toOwn(made), { news: words.made(name) }));
}

/** Renames a persona to the text that the user sent. */
export async function renamePersonaByText(
  deps: PersonasServices,
  ctx: BotContext,
  text: string,
  subject: DialogSubject,
) {
  const words = texts[ctx.locale];
  const own = await findOwn(deps, ctx, subject);
  if (!own) return void (await ctx.reply(words.gone));
  const name = readName(text);
  if (name === undefined) return beginDialog(deps, ctx, 'persona-new-name', words.badName(MAX_NAME_CHARACTERS), own.id);
  const changed = await deps.personas.change(own.id, { userId: ctx.user.id }, { name });
  if (changed === 'taken') return beginDialog(deps, ctx, 'persona-new-name', words.nameTaken(name), own.id);
  await showChanged(deps, ctx, changed);
}

/** Replaces the instructions of a persona. */
export async function rewritePersonaByText(
  deps: PersonasServices,
  ctx: BotContext,
  text: string,
  subject: DialogSubject,
) {
  const own = await findOwn(deps, ctx, subject);
  if (!own) return void (await ctx.reply(texts[ctx.locale].gone));
  const instructions = text.trim();
  const problem = findProblem(ctx, instructions);
  if (problem !== undefined) return beginDialog(deps, ctx, 'persona-new-instructions', problem, own.id);
  await showChanged(deps, ctx, await deps.personas.change(own.id, { userId: ctx.user.id }, { instructions }));
}

async function showChanged(
  deps: PersonasServices,
  ctx: BotContext,
  changed: OwnPersona | 'gone' | 'taken',
): Promise<void> {
  const words = texts[ctx.locale];
  if (typeof changed === 'string') return void (await ctx.reply(words.gone));
  await showView(ctx, await toPersonaView(deps, ctx, toOwn(changed), { news: words.saved }));
}

function readName(text: string): string | undefined {
  const name = toOneLine(text);
  return name === '' || Array.from(name).length > MAX_NAME_CHARACTERS ? undefined : name;
}

function findProblem({ locale }: BotContext, instructions: string): string | undefined {
  if (instructions === '') return texts[locale].noInstructions;
  if (instructions.length <= MAX_INSTRUCTIONS) return undefined;
  return texts[locale].instructionsTooLong(instructions.length, MAX_INSTRUCTIONS);
}

async function findOwn(deps: PersonasServices, ctx: BotContext, id: DialogSubject): Promise<OwnPersona | undefined> {
  const found = typeof id === 'number' ? await deps.personas.find(id) : undefined;
  return found?.userId === ctx.user.id ? found : undefined;
}

async function withOwn(
  deps: PersonasServices,
  ctx: BotContext,
  personaId: number,
  afterwards: (own: OwnPersona) => Promise<unknown>,
): Promise<ActionAnswer> {
  const own = await findOwn(deps, ctx, personaId);
  return own ? { afterwards: () => afterwards(own) } : toGonePersona(deps, ctx);
}

async function askSharing(deps: PersonasServices, ctx: BotContext, own: OwnPersona): Promise<void> {
  const words = texts[ctx.locale];
  const keyboard = await storeKeyboard(deps, toButtonTarget(ctx), [
    [{ text: words.buttons.shareNow, action: { kind: 'share-persona-now', personaId: own.id } }],
    [{ text: ctx.texts.buttons.back, action: { kind: 'show-persona', persona: toOwn(own).reference } }],
  ]);
  await showView(ctx, { text: `${toOwn(own).label}\n\n${words.askSharing}`, keyboard });
}

async function askDeletion(deps: PersonasServices, ctx: BotContext, own: OwnPersona): Promise<void> {
  const words = texts[ctx.locale];
  const keyboard = await storeKeyboard(deps, toButtonTarget(ctx), [
    [
      { text: words.buttons.deleteForGood, action: { kind: 'delete-persona-for-good', personaId: own.id } },
      { text: words.buttons.keep, action: { kind: 'show-persona', persona: toOwn(own).reference } },
    ],
  ]);
  const view = await toPersonaView(deps, ctx, toOwn(own), { news: words.askDeletion });
  await showView(ctx, { ...view, keyboard });
}
