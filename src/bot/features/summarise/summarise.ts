import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { isGroup, toPlace } from '../../framework/place.ts';
import { isBlind } from '../../groups/is-blind.ts';
import { listLinks } from '../../inputs/links.ts';
import { readQuestion } from '../../inputs/read-question.ts';
import type { Asker } from '../../questions/ask.ts';

/**
 * `/summarise` in reply to a message, or with a text behind it: its essence. In a group without either: what was said of late, where
 * that is remembered. A word that means the same, in reply to a message, is read where questions are.
 */
export function createSummariseFeature(deps: BotDeps, asker: Asker): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command(['summarise', 'summarize', 'tldr'], async (ctx) => {
    const { inputs } = ctx.texts;
    const { message_id: telegramMessageId, reply_to_message: replied, external_reply: external } = ctx.msg;
    const isReply = external !== undefined || (replied !== undefined && !replied.forum_topic_created);
    const text = ctx.match.trim();
    const asked = { telegramMessageId, attachments: [], parent: undefined };
    if (text !== '' && !isReply) {
      const content = `${inputs.summarise}\n\n${text}`;
      return asker.ask(ctx, { ...asked, content, attachments: listLinks(ctx.msg) });
    }
    if (isReply && ctx.message) {
      const question = await readQuestion(deps, ctx, { parts: [ctx.message] });
      // The bot's own menus are nothing to summarise.
      if (text === '' && COMMAND.test(question.content)) return void (await ctx.reply(inputs.summariseWhat));
      const content = question.content.replace(COMMAND, `${inputs.summarise} `);
      return asker.ask(ctx, { ...question, content });
    }
    if (!isGroup(ctx.chat)) return void (await ctx.reply(inputs.summariseWhat));
    const hindrance = await findHindrance(deps, ctx);
    if (hindrance !== undefined) return void (await ctx.reply(hindrance));
    return asker.ask(ctx, { ...asked, content: inputs.summariseTalk });
  });
  return composer;
}

/** At the end of a question, behind what it quotes. */
const COMMAND = /(?<=^|\n\n)\/(?:summari[sz]e|tldr)\b(?:@\w+)?\s*/i;

/** Why nothing can be told of what was said; undefined where something can. */
async function findHindrance(deps: BotDeps, ctx: BotContext): Promise<string | undefined> {
  const { groups } = ctx.texts;
  if (!ctx.msg || !ctx.group?.remembersTalk) return groups.memoryIsOff;
  const talk = await deps.groups.listTalk(toPlace(ctx.msg), ctx.msg.message_id);
  if (talk.length > 0) return undefined;
  return (await isBlind(ctx)) ? `${groups.heardNothing}\n\n${groups.blind}` : groups.heardNothing;
}
