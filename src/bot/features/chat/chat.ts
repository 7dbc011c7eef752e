import { Composer } from 'grammy';
import type { Message } from 'grammy/types';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import type { AlbumMemory } from '../../inputs/album-memory.ts';
import type { IncomingQuestions } from '../../inputs/incoming-questions.ts';
import type { LinkMemory } from '../../inputs/link-memory.ts';
import { isEmptyQuestion, type Question } from '../../inputs/question.ts';
import { readQuestion } from '../../inputs/read-question.ts';
import type { Asker } from '../../questions/ask.ts';
import { createLateQuestions } from '../../questions/late-question.ts';

interface ChatParts {
  readonly asker: Asker;
  /** Of which one photo was drawn upon, and whether that was said. */
  readonly albums: AlbumMemory<'drawn' | 'told'>;
  readonly questions: IncomingQuestions;
  /** Links that came right before. */
  readonly lastLinks: LinkMemory;
}

/** What people write and show, where it means the bot, becomes questions to the model. */
export function createChatFeature(
  deps: BotDeps,
  { asker, albums, questions, lastLinks }: ChatParts,
): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  const lateQuestions = createLateQuestions(deps, questions);
  composer.on('message', async (ctx, next) => {
    const found = await questions.find(ctx);
    if (!found) return next();
    if (found === 'taken') return;
    const question = withLastLink(lastLinks, ctx.message, await readQuestion(deps, ctx, found));
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

/** What has a link, a file or a message of its own to be about is not about that one. */
function withLastLink(links: LinkMemory, message: Message, question: Question): Question {
  const last = links.take(message, question.content);
  const isFree = question.attachments.length === 0 && !question.parent && !message.reply_to_message;
  return last && isFree ? { ...question, attachments: [last] } : question;
}
