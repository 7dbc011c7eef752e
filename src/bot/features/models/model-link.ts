import { Composer } from 'grammy';
import { readStartPayload } from '../../../lib/start-link.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { isGroup, toPlace } from '../../framework/place.ts';
import { markPieces, showView } from '../../framework/view.ts';
import { findModelByCode } from '../../models/model-code.ts';
import { toExampleRows } from '../welcome/welcome.ts';

/** `/start m_<model>`: a new conversation with the model that a link names. The user's own choice stays: to open a link is not to choose. */
export function createModelLinkFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('start', async (ctx, next) => {
    const code = readStartPayload(ctx.match, 'model');
    if (code === undefined || isGroup(ctx.chat)) return next();
    const { models, buttons, firstSteps } = ctx.texts;
    const entry = findModelByCode(deps.catalogue, code);
    if (!entry) {
      const list = { text: buttons.chooseModel, choice: { kind: 'list-models', page: 0 } } as const;
      return showView(ctx, {
        text: models.unknownLink,
        keyboard: await offerKeyboard(deps, toButtonTarget(ctx), [[list]]),
      });
    }
    const { id } = await deps.conversations.startThread(toPlace(ctx.msg), ctx.person.id);
    await deps.conversations.setModel(id, entry.id);
    const text = `${models.linked(entry.id)} ${firstSteps.askSomething}`;
    const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), toExampleRows(ctx));
    return showView(ctx, { text, entities: markPieces(text, 'code', entry.id), keyboard });
  });
  return composer;
}
