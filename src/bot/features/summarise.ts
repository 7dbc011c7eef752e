import { Composer } from 'grammy';
import { fromEntities } from '../../telegram/markdown/index.ts';
import { defineTexts } from '../../texts/define-texts.ts';
import { hasPrivacyMode } from '../choices/groups.ts';
import { listLinks } from '../inputs/links.ts';
import { readQuestion } from '../inputs/read-question.ts';
import { readAddressed } from '../kit/address.ts';
import { isGroup, toChatTopic } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { Feature, FeatureHandlers } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';

/**
 * `/summarise` with a text or in reply to a message: summarises it. In a group without either: summarises the stored
 * messages. Synonyms in reply to a message are handled with questions.
 */
export const summarise: Feature = {
  commands: [{ name: 'summarise', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  create: createHandlers,
};

function createHandlers(services: BotServices): FeatureHandlers {
  const { questionService } = services;
  const composer = new Composer<BotContext>();
  composer.command(['summarise', 'summarize', 'tldr'], async (ctx) => {
    const words = texts[ctx.locale];
    const { summarise } = ctx.texts.inputs;
    const { message_id: telegramMessageId, reply_to_message: replied, external_reply: external } = ctx.msg;
    const isReply = external !== undefined || (replied !== undefined && !replied.forum_topic_created);
    const text = fromEntities(readAddressed(ctx.msg, ctx.me)).replace(COMMAND, '').trim();
    const baseQuestion = { telegramMessageId, attachments: [], parent: undefined };
    if (text !== '' && !isReply) {
      const content = `${summarise}\n\n${text}`;
      return questionService.ask(ctx, { ...baseQuestion, content, attachments: listLinks(ctx.msg) });
    }
    if (isReply && ctx.message) {
      const question = await readQuestion(services, ctx, { parts: [ctx.message] });
      // Menus of the bot have no content to summarise.
      if (text === '' && COMMAND.test(question.content)) return void (await ctx.reply(words.askWhat));
      const content = question.content.replace(COMMAND, `${summarise} `);
      return questionService.ask(ctx, { ...question, content });
    }
    if (!isGroup(ctx.chat)) return void (await ctx.reply(words.askWhat));
    const obstacle = await findObstacle(services, ctx);
    if (obstacle !== undefined) return void (await ctx.reply(obstacle));
    return questionService.ask(ctx, { ...baseQuestion, content: words.request });
  });
  return { middleware: composer };
}

/** Matches the command at the end of a question, after quoted text. */
const COMMAND = /(?<=^|\n\n)\/(?:summari[sz]e|tldr)\b(?:@\w+)?\s*/i;

/** Returns the reason why there are no stored messages to summarise; undefined if there are some. */
async function findObstacle({ groups }: BotServices, ctx: BotContext): Promise<string | undefined> {
  const words = texts[ctx.locale];
  if (!ctx.msg || !ctx.group?.storesRecentMessages) return words.storesNothing;
  const recentMessages = await groups.listRecentMessages(toChatTopic(ctx.msg), ctx.msg.message_id);
  if (recentMessages.length > 0) return undefined;
  return (await hasPrivacyMode(ctx)) ? `${words.noMessages}\n\n${ctx.texts.groups.noVision}` : words.noMessages;
}

export const texts = defineTexts({
  en: {
    command: 'Summarise the message you reply to',
    request:
      'Summarise the recent messages in this group: the topics, who said what where it matters, what was decided, and which questions are open. Be brief.',
    askWhat: 'What should I summarise? Reply to a message with /summarise, or write the text after the command.',
    storesNothing:
      'I don’t remember messages here, so I can’t summarise them. An admin can turn that on in /settings. To summarise a single message, reply to it with /summarise.',
    noMessages: 'There are no recent messages here.',
  },
  ru: {
    command: 'Пересказать сообщение, на которое отвечаете',
    request:
      'Подведи итог тому, что недавно говорили в этой группе: темы, кто что сказал, если это важно, что решили и какие вопросы остались открытыми. Коротко.',
    askWhat: 'Что изложить? Напишите /summarise в ответ на сообщение или с текстом после команды.',
    storesNothing:
      'Я не храню то, что здесь говорят, и не могу подвести итог. Администратор может включить это в /settings. Чтобы пересказать одно сообщение, ответьте на него командой /summarise.',
    noMessages: 'Недавних сообщений я здесь не видел.',
  },
});
