import { Composer } from 'grammy';
import { findAnsweringModel } from '../answers/model-choice.ts';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { toSenses } from '../inputs/senses.ts';
import { markPieces, showView } from '../keyboards/view.ts';

/** `/help`: everything that can be done, on one phone screen. */
export function createHelpFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('help', async (ctx) => {
    const model = findAnsweringModel(deps.catalogue, ctx.person)?.entry.id;
    const text = ctx.texts.help(model, toSenses(deps));
    await showView(ctx, { text, entities: markPieces(text, 'code', model ?? '') });
  });
  return composer;
}
