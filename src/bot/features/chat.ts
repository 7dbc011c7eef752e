import { Composer } from 'grammy';
import type { Message } from 'grammy/types';
import { readAddressedText } from '../address.ts';
import type { Question } from '../answers.ts';
import type { Asker } from '../ask.ts';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { findPhoto } from '../photo.ts';

/** Text and photos that mean the bot become questions to the model. */
export function createChatFeature(deps: BotDeps, asker: Asker): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  const albums = createAlbumMemory();
  composer.on('message').filter(
    (ctx) => isReadable(ctx.message),
    async (ctx) => {
      const seen = albums.see(ctx.message);
      if (seen === 'second') await ctx.reply(ctx.texts.onePhotoOfAlbum);
      if (seen !== 'first') return;
      const question = await readQuestion(deps, ctx, ctx.message);
      const isEmpty = question.content === '' && question.attachments.length === 0;
      await (isEmpty ? ctx.reply(ctx.texts.emptyQuestion) : asker.ask(ctx, question));
    },
  );
  return composer;
}

function isReadable(message: Message): boolean {
  return message.text !== undefined || findPhoto(message) !== undefined;
}

async function readQuestion(deps: BotDeps, ctx: BotContext, message: Message): Promise<Question> {
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

/** Photos of an album come as messages of their own, one after the other. */
function createAlbumMemory() {
  const counts = new Map<string, number>();
  return {
    see(message: Message): 'first' | 'second' | 'later' {
      const id = message.media_group_id;
      if (id === undefined) return 'first';
      const count = (counts.get(id) ?? 0) + 1;
      counts.delete(id);
      counts.set(id, count);
      const [oldest] = counts.keys();
      if (counts.size > MAX_ALBUMS && oldest !== undefined) counts.delete(oldest);
      if (count === 1) return 'first';
      return count === 2 ? 'second' : 'later';
    },
  };
}

/** The parts of an album come within seconds, so few need to be remembered. */
const MAX_ALBUMS = 1000;
