import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { ChoiceOf } from '../../framework/choice.ts';
import type { BotContext } from '../../framework/context.ts';
import { offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { isGroup } from '../../framework/place.ts';
import { onPress } from '../../framework/press.ts';
import { closeView, markPieces, showView } from '../../framework/view.ts';
import { isLink, readFileId } from '../../inputs/read-file-id.ts';
import { toFileTitle } from '../files/file-view.ts';
import { toShownName } from '../files/shown-name.ts';

/** Characters; it is for the operator's own memory. */
const MAX_REASON = 500;

/**
 * `/takedown link reason`, for those who run the service: a file and all its copies go, and the same bytes are refused from
 * then on. Nobody else learns that there is such a command.
 */
export function createTakeDownFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('takedown', async (ctx, next) => {
    if (ctx.person.role !== 'admin' || isGroup(ctx.chat)) return next();
    const { fileMenu, buttons } = ctx.texts;
    const [link = '', ...words] = ctx.match.trim().split(/\s+/);
    const fileId = readFileId(link);
    const { whichTakeDown, unknownFile } = fileMenu;
    if (fileId === undefined) return void (await ctx.reply(isLink(link) ? unknownFile : whichTakeDown));
    const file = await deps.storage.find(fileId);
    if (!file) return void (await ctx.reply(unknownFile));
    const name = toShownName(toFileTitle(file));
    const text = fileMenu.askTakeDown(name);
    const reason = words.join(' ').slice(0, MAX_REASON);
    const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), [
      [
        { text: fileMenu.buttons.takeDown, choice: { kind: 'take-down-file', fileId, reason } },
        { text: buttons.cancel, choice: { kind: 'close-menu' } },
      ],
    ]);
    return showView(ctx, { text, entities: markPieces(text, 'code', name), keyboard });
  });
  composer.use(onPress(deps, 'take-down-file', (ctx, chosen) => takeDown(deps, ctx, chosen)));
  return composer;
}

async function takeDown(deps: BotDeps, ctx: BotContext, { fileId, reason }: ChoiceOf<'take-down-file'>) {
  const { fileMenu } = ctx.texts;
  if (ctx.person.role !== 'admin') return { hint: ctx.texts.stalePress };
  const taken = await deps.storage.takeDown(fileId, reason);
  if (!taken) return { hint: fileMenu.gone, afterwards: () => closeView(ctx) };
  const adminTelegramId = ctx.person.telegramId ?? 0;
  await deps.administration.note({ adminTelegramId, action: 'take-down', subject: fileId, reason });
  deps.logger.info({ personId: ctx.person.id, ...taken }, 'a file was taken down');
  return { afterwards: () => showView(ctx, { text: fileMenu.takenDown(taken.fileCount, taken.isBlocked) }) };
}
