import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { onPress } from '../../framework/press.ts';
import { closeView } from '../../framework/view.ts';
import type { Asker } from '../../questions/ask.ts';

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
