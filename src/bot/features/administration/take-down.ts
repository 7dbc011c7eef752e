import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { CallbackActionOf } from '../../framework/callback-action.ts';
import type { BotContext } from '../../framework/context.ts';
import { storeKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { onAction } from '../../framework/on-action.ts';
import { toShownName } from '../../framework/shown-name.ts';
import { closeView, markParts, showView } from '../../framework/view.ts';
import { isLink, readFileId } from '../../inputs/read-file-id.ts';
import { toFileTitle } from '../files/file-view.ts';
import { texts as files } from '../files/texts/index.ts';
import { texts } from './texts/index.ts';

export type TakeDownServices = Pick<BotDeps, 'administration' | 'interactions' | 'logger' | 'storage'>;

/** Limit in characters. The reason is a note for operators. */
const MAX_REASON = 500;

/** `/takedown link reason`: deletes a file and all its copies, and refuses uploads of the same bytes. */
export function createTakeDown(deps: TakeDownServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('takedown', async (ctx) => {
    const { takeDown: words } = texts[ctx.locale];
    const { unknownFile } = files[ctx.locale];
    const [link = '', ...reasons] = ctx.match.trim().split(/\s+/);
    const fileId = readFileId(link);
    if (fileId === undefined) return void (await ctx.reply(isLink(link) ? unknownFile : words.which));
    const file = await deps.storage.find(fileId);
    if (!file) return void (await ctx.reply(unknownFile));
    const name = toShownName(toFileTitle(file));
    const text = words.ask(name);
    const reason = reasons.join(' ').slice(0, MAX_REASON);
    const keyboard = await storeKeyboard(deps, toButtonTarget(ctx), [
      [
        { text: words.button, action: { kind: 'take-down-file', fileId, reason } },
        { text: ctx.texts.buttons.cancel, action: { kind: 'close-menu' } },
      ],
    ]);
    return showView(ctx, { text, entities: markParts(text, 'code', name), keyboard });
  });
  composer.use(onAction(deps, 'take-down-file', (ctx, chosen) => takeDown(deps, ctx, chosen)));
  return composer;
}

async function takeDown(
  deps: TakeDownServices,
  ctx: BotContext,
  { fileId, reason }: CallbackActionOf<'take-down-file'>,
) {
  const takenDown = await deps.storage.takeDown(fileId, reason);
  if (!takenDown) return { hint: files[ctx.locale].gone, afterwards: () => closeView(ctx) };
  const adminTelegramId = ctx.user.telegramId ?? 0;
  await deps.administration.record({ adminTelegramId, action: 'take-down', subject: fileId, reason });
  deps.logger.info({ userId: ctx.user.id, ...takenDown }, 'file taken down');
  return {
    afterwards: () =>
      showView(ctx, { text: texts[ctx.locale].takeDown.done(takenDown.fileCount, takenDown.isBlocked) }),
  };
}
