import { Composer } from 'grammy';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { offerKeyboard } from '../keyboards/keyboard.ts';
import { showView } from '../keyboards/view.ts';
import { findPersona } from '../personas/persona.ts';
import { findShippedPersona } from '../personas/shipped-personas.ts';
import { isGroup, toPlace } from '../place.ts';
import { readStartPayload } from '../start-link.ts';

/** `/start p_<persona>`: a new conversation with a persona that somebody has named in a link. */
export function createPersonaLinkFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('start', async (ctx, next) => {
    const key = readStartPayload(ctx.match, 'persona');
    if (key === undefined || isGroup(ctx.chat)) return next();
    const { personas } = ctx.texts;
    const shipped = findShippedPersona(key);
    const persona = shipped && (await findPersona(deps, ctx.texts, shipped.key));
    if (!shipped || !persona) {
      const list = { text: personas.buttons.personas, choice: { kind: 'list-personas', page: 0 } } as const;
      return showView(ctx, {
        text: personas.unknownLink,
        keyboard: await offerKeyboard(deps, ctx.person.id, [[list]]),
      });
    }
    const { id: threadId } = await deps.conversations.startThread(toPlace(ctx.msg), ctx.person.id);
    await deps.conversations.setGuise(threadId, { kind: 'persona', persona: persona.reference });
    const { description, example } = personas.shipped[shipped.key];
    const rows = [[{ text: example, choice: { kind: 'ask-example', example: 0, persona: shipped.key } as const }]];
    const text = `${personas.linked(persona.label)} ${description}\n\n${personas.forExample}`;
    return showView(ctx, { text, keyboard: await offerKeyboard(deps, ctx.person.id, rows) });
  });
  return composer;
}
