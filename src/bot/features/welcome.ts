import { Composer } from 'grammy';
import { findAnsweringModel } from '../answers/model-choice.ts';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { offerKeyboard } from '../keyboards/keyboard.ts';
import { markPieces, showView } from '../keyboards/view.ts';
import { isGroup } from '../place.ts';

/** `/start`, with or without a payload: what can be done here, in a few lines, and a way to the models. */
export function createWelcomeFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('start', async (ctx) => {
    if (isGroup(ctx.chat)) return showView(ctx, { text: ctx.texts.welcomeToGroup(ctx.me.username) });
    const model = findAnsweringModel(deps.catalogue, ctx.person)?.entry.id;
    const text = ctx.texts.welcome(model);
    const choose = { text: ctx.texts.buttons.chooseModel, choice: { kind: 'list-models', page: 0 } as const };
    const keyboard = await offerKeyboard(deps, ctx.person.id, [[choose]]);
    return showView(ctx, { text, entities: markPieces(text, 'code', model ?? ''), keyboard });
  });
  return composer;
}
