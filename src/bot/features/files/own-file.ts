import type { StoredFile } from '../../../core/storage/index.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { isPrivate } from '../../framework/place.ts';
import type { PressAnswer } from '../../framework/press.ts';
import { showView } from '../../framework/view.ts';
import type { FileListing } from './actions.ts';
import { toFileMenu } from './file-menu.ts';
import { texts } from './texts/index.ts';

/** A file that is there and belongs to the person. */
export async function findOwnFile(
  deps: Pick<BotDeps, 'storage'>,
  ctx: BotContext,
  fileId: string,
): Promise<StoredFile | undefined> {
  const file = await deps.storage.find(fileId);
  return file?.userId === ctx.user.id ? file : undefined;
}

/** What a press says that came too late: the file has expired, or was deleted. The list shows what is left. */
export function toGoneAnswer(
  deps: Pick<BotDeps, 'interactions' | 'storage'>,
  ctx: BotContext,
  listing?: FileListing,
): PressAnswer {
  const hint = texts[ctx.locale].gone;
  if (!isPrivate(ctx)) return { hint };
  return { hint, afterwards: async () => showView(ctx, await toFileMenu(deps, ctx, listing ?? FIRST_PAGE)) };
}

export const FIRST_PAGE: FileListing = { page: 0 };
