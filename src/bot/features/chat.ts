import { Composer } from 'grammy';
import type { Message } from 'grammy/types';
import { readAddressedText } from '../address.ts';
import type { AlbumMemory } from '../album-memory.ts';

import type { Asker } from '../ask.ts';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { createLateQuestions } from '../late-question.ts';
import { findPhoto } from '../photo.ts';
import type { Question } from '../question.ts';

/** Text and photos that mean the bot become questions to the model. */
export function createChatFeature(deps: BotDeps, asker: Asker, albums: AlbumMemory): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  const lateQuestions = createLateQuestions(deps);
  composer.on('message').filter(
    (ctx) => isReadable(ctx.message),
    async (ctx) => {
      const seen = albums.see(ctx.message);
      if (seen === 'second') await ctx.reply(ctx.texts.onePhotoOfAlbum);
      if (seen !== 'first') return;
      const question = await readQuestion(deps, ctx, ctx.message);
      const isEmpty = question.content === '' && question.attachments.length === 0;
      if (isEmpty) return void (await ctx.reply(ctx.texts.emptyQuestion));
      const fate = await lateQuestions.meet(ctx, ctx.message);
      await (fate === 'keep' ? asker.keep(ctx, question) : asker.ask(ctx, question));
    },
  );
  return composer;
}

function isReadable(message: Message): boolean {
  return message.text !== undefined || findPhoto(message) !== undefined;
}

/** What a message asks, with what it refers to. */
export async function readQuestion(deps: BotDeps, ctx: BotContext, message: Message): Promise<Question> {
  const repliedTo = message.reply_to_message;
  const parent = repliedTo && (await deps.conversations.findByDelivery(message.chat.id, repliedTo.message_id));
  // What the model has never seen must be shown to it; the bot's own menus and errors are no part of the talk.
  const foreign = parent || repliedTo?.from?.id === ctx.me.id ? undefined : repliedTo;
  const quoted = message.quote?.text ?? foreign?.text ?? foreign?.caption;
  const photo = findPhoto(message) ?? (foreign && findPhoto(foreign));
  const asked = readAddressedText(message, ctx.me);
  return {
    content: quoted === undefined ? asked : `${toQuote(quoted)}\n\n${asked}`.trim(),
    attachments: photo ? [photo] : [],
    telegramMessageId: message.message_id,
    parent,
  };
}

function toQuote(text: string): string {
  return text.replaceAll(/^/gm, '> ');
}
