import { Composer } from 'grammy';
import type { Asker } from '../ask.ts';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { onPress } from '../press.ts';
import { closeView } from '../view.ts';

/** The Retry button below a failed answer: the failure's message goes, and the question is answered again. */
export function createRetryFeature(deps: BotDeps, asker: Asker): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onPress(deps, 'retry', async (ctx, { retry }) => {
      if (!(await asker.canRetry(retry))) return { hint: ctx.texts.movedOn };
      return {
        afterwards: async () => {
          if (await asker.askAgain(ctx, retry)) await closeView(ctx);
        },
      };
    }),
  );
  return composer;
}
