import { Composer } from 'grammy';
import type { Message } from 'grammy/types';
import { findLeadingCommand } from '../../framework/address.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import type { FeatureHandlers } from '../../framework/feature.ts';
import { isGroup } from '../../framework/place.ts';
import type { AlbumMemory } from '../../inputs/album-memory.ts';
import type { IncomingQuestions } from '../../inputs/incoming-questions.ts';
import type { LinkMemory } from '../../inputs/link-memory.ts';
import { isEmptyQuestion, type Question } from '../../inputs/question.ts';
import { readQuestion } from '../../inputs/read-question.ts';
import { toSenses } from '../../inputs/senses.ts';
import type { Asker } from '../../questions/ask.ts';
import { createLateQuestions } from '../../questions/late-question.ts';
import { texts } from './texts/index.ts';

interface ChatServices
  extends Pick<BotDeps, 'clock' | 'conversations' | 'documents' | 'speech' | 'storage' | 'transcription'> {
  readonly asker: Pick<Asker, 'ask' | 'keep'>;
  /** Of which one photo was drawn upon, and whether that was said. */
  readonly albums: AlbumMemory<'drawn' | 'told'>;
  readonly questions: IncomingQuestions;
  /** Links that came right before. */
  readonly lastLinks: LinkMemory;
}

/** What no other feature has taken: commands that nobody knows, questions to the model, and what can't be read. */
export function createHandlers(services: ChatServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.use(createUnknownCommand(), createQuestions(services), createUnreadable(services));
  return { middleware: composer };
}

/**
 * Commands that no feature took. In groups only those that name this bot: the others may be meant for somebody else.
 * In a caption a command is a part of what is said about the picture.
 */
function createUnknownCommand(): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('message', async (ctx, next) => {
    const command = findLeadingCommand(ctx.message);
    if (command === undefined) return next();
    if (isGroup(ctx.chat) && !command.includes('@')) return;
    if (ctx.message.text === undefined) return next();
    await ctx.reply(texts[ctx.locale].unknownCommand(command));
  });
  return composer;
}

/** What people write and show, where it means the bot, becomes questions to the model. */
function createQuestions(services: ChatServices): Composer<BotContext> {
  const { asker, albums, questions, lastLinks } = services;
  const composer = new Composer<BotContext>();
  const lateQuestions = createLateQuestions(services, questions);
  composer.on('message', async (ctx, next) => {
    const found = await questions.find(ctx);
    if (!found) return next();
    if (found === 'taken') return;
    const question = withLastLink(lastLinks, ctx.message, await readQuestion(services, ctx, found));
    if (found.isLate) return asker.keep(ctx, question);
    const drawn = albums.find(ctx.message);
    if (drawn === 'drawn') {
      albums.note(ctx.message, 'told');
      await ctx.reply(texts[ctx.locale].onePhotoOfAlbum);
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

/**
 * Stories, games and the like get an honest word; service messages (pins, joins, titles) get none. Files come here in
 * groups only: elsewhere they are kept.
 */
function createUnreadable(services: Pick<ChatServices, 'speech' | 'transcription'>): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on(
    [
      'message:document',
      'message:voice',
      'message:audio',
      'message:video',
      'message:video_note',
      'message:animation',
      'message:sticker',
    ],
    (ctx) => ctx.reply(texts[ctx.locale].filesInGroups(toSenses(services).listens)),
  );
  composer.on(['message:story', 'message:game', 'message:paid_media'], (ctx) =>
    ctx.reply(texts[ctx.locale].unreadable(toSenses(services))),
  );
  return composer;
}
