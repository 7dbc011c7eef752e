import { Composer } from 'grammy';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import type { AlbumMemory } from '../inputs/album-memory.ts';
import type { IncomingQuestions } from '../inputs/incoming-questions.ts';
import { readQuestion } from '../inputs/read-question.ts';
import type { Asker } from '../questions/ask.ts';
import { createLateQuestions } from '../questions/late-question.ts';
import { isEmptyQuestion } from '../questions/question.ts';

interface ChatParts {
  readonly asker: Asker;
  /** Of which one photo was drawn upon, and whether that was said. */
  readonly albums: AlbumMemory<'drawn' | 'told'>;
  readonly questions: IncomingQuestions;
}

/** What people write and show, where it means the bot, becomes questions to the model. */
export function createChatFeature(deps: BotDeps, { asker, albums, questions }: ChatParts): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  const lateQuestions = createLateQuestions(deps, questions);
  composer.on('message', async (ctx, next) => {
    const found = await questions.find(ctx);
    if (!found) return next();
    if (found === 'taken') return;
    const question = await readQuestion(deps, ctx, found);
    if (found.isLate) return asker.keep(ctx, question);
    const drawn = albums.find(ctx.message);
    if (drawn === 'drawn') {
      albums.note(ctx.message, 'told');
      await ctx.reply(ctx.texts.onePhotoOfAlbum);
    }
    if (drawn) return;
    if (isEmptyQuestion(question)) return void (await ctx.reply(ctx.texts.emptyQuestion));
    const fate = await lateQuestions.meet(ctx, ctx.message);
    if (fate === 'keep') await asker.keep(ctx, question);
    else await asker.ask(ctx, question);
  });
  return composer;
}
