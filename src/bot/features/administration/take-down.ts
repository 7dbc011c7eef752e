import { Composer } from 'grammy';
import { findFileId, isLink } from '../../inputs/find-file-id.ts';
import { type CallbackActionOf, onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import { storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import { toShownName } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { closeView, markParts, showView } from '../../kit/views.ts';
import { texts as files } from '../files/texts.ts';
import { toFileTitle } from '../files/views.ts';
import { texts } from './texts.ts';

/** Limit in characters. The reason is a note for operators. */
const MAX_REASON = 500;

/** `/takedown link reason`: deletes a file and all its copies, and refuses uploads of the same bytes. */
export function createTakeDown(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('takedown', async (ctx) => {
    const { takeDown: words } = texts[ctx.locale];
    const { unknownFile } = files[ctx.locale];
    const [link = '', ...reasons] = ctx.match.trim().split(/\s+/);
    const fileId = findFileId(link);
    if (fileId === undefined) return void (await ctx.reply(isLink(link) ? unknownFile : words.which));
    const file = await services.storage.find(fileId);
    if (!file) return void (await ctx.reply(unknownFile));
    const name = toShownName(toFileTitle(file));
    const text = words.ask(name);
    const reason = reasons.join(' ').slice(0, MAX_REASON);
    const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
      [
        { text: words.button, action: { kind: 'take-down-file', fileId, reason } },
        { text: ctx.texts.buttons.cancel, action: { kind: 'close-menu' } },
      ],
    ]);
    return showView(ctx, { text, entities: markParts(text, 'code', name), keyboard });
  });
  composer.use(onAction(services, 'take-down-file', (ctx, chosen) => takeDown(services, ctx, chosen)));
  return composer;
}

async function takeDown(
  services: BotServices,
  ctx: BotContext,
  { fileId, reason }: CallbackActionOf<'take-down-file'>,
) {
  const takenDown = await services.storage.takeDown(fileId, reason);
  if (!takenDown) return { hint: files[ctx.locale].gone, afterwards: () => closeView(ctx) };
  const adminTelegramId = ctx.user.telegramId ?? 0;
  await services.administration.record({ adminTelegramId, action: 'take-down', subject: fileId, reason });
  services.logger.info({ userId: ctx.user.id, ...takenDown }, 'file taken down');
  return {
    afterwards: () =>
      showView(ctx, { text: texts[ctx.locale].takeDown.done(takenDown.fileCount, takenDown.isBlocked) }),
  };
}
