import type { StoredFile } from '../../../core/storage/index.ts';
import type { ActionAnswer } from '../../kit/actions.ts';
import { isPrivate } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import type { FileListing } from './actions.ts';
import { toFileMenu } from './file-menu.ts';
import { texts } from './texts.ts';

/** Returns the file if it exists and belongs to the user. */
export async function findOwnFile(
  services: BotServices,
  ctx: BotContext,
  fileId: string,
): Promise<StoredFile | undefined> {
  const file = await services.storage.find(fileId);
  return file?.userId === ctx.user.id ? file : undefined;
}

/** Returns the notice for a file that has expired or was deleted, and shows the list. */
export function toGoneAnswer(services: BotServices, ctx: BotContext, listing?: FileListing): ActionAnswer {
  const hint = texts[ctx.locale].gone;
  if (!isPrivate(ctx)) return { hint };
  return { hint, afterwards: async () => showView(ctx, await toFileMenu(services, ctx, listing ?? FIRST_PAGE)) };
}

export const FIRST_PAGE: FileListing = { page: 0 };
