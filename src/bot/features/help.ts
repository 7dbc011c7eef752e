import { Composer } from 'grammy';
import { defineTexts } from '../../texts/define-texts.ts';
import { findAnsweringModel } from '../choices/model-choice.ts';
import { toInputCapabilities } from '../inputs/attachment.ts';
import { isGroup } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { Feature, FeatureHandlers } from '../kit/feature.ts';
import { type CommandListing, listCommands, publishAdminCommands } from '../kit/profile.ts';
import type { BotServices } from '../kit/services.ts';
import { markParts, showView } from '../kit/views.ts';
import type { InputCapabilities, Locale } from '../texts/locales.ts';

/** `/help`: the commands of the chat; admins also see theirs in private chats. */
export const help: Feature = {
  commands: [{ name: 'help', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  create: createHandlers,
};

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('help', async (ctx) => {
    const model = findAnsweringModel(services.catalogue, ctx.user)?.entry.id;
    const help = toHelp(services, ctx.locale, model, toInputCapabilities(services));
    const text = isAdminAlone(ctx) ? `${help}\n\n${toAdminHelp(services, ctx.locale)}` : help;
    const words = texts[ctx.locale];
    const headings = [...Object.values(words.topics), ...Object.values(words.adminTopics)];
    const entities = [...markParts(text, 'code', model ?? ''), ...markParts(text, 'bold', ...headings)];
    await showView(ctx, { text, entities });
  });
  return { early: createAdminMenu(services), middleware: composer };
}

/**
 * Publishes the admins' command menu on `/start` and `/help`: Telegram refuses it for a chat that does not exist yet.
 */
function createAdminMenu(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command(['start', 'help'], async (ctx, next) => {
    await next();
    if (isAdminAlone(ctx)) await publishAdminCommands(services, ctx.chat.id);
  });
  return composer;
}

/** Admin commands are not shown in groups. */
function isAdminAlone({ user, chat }: BotContext): boolean {
  return user.role === 'admin' && chat !== undefined && !isGroup(chat);
}

/** Topics of `/help` and of docs/bot.md in their order, each with its commands. */
export const TOPICS = [
  { topic: 'conversations', names: ['new', 'threads', 'share', 'stop', 'summarise'] },
  { topic: 'models', names: ['model', 'compare', 'persona', 'system', 'settings'] },
  { topic: 'memory', names: ['memory', 'remember', 'tasks', 'remind', 'find'] },
  { topic: 'files', names: ['imagine', 'save', 'files', 'delete'] },
  { topic: 'account', names: ['key', 'usage', 'console', 'privacy', 'export', 'forget'] },
] as const satisfies readonly { readonly topic: string; readonly names: readonly string[] }[];

/** Returns the help for users: the commands of the private menu by topic. Those without a topic come last. */
export function toHelp(
  services: CommandListing,
  locale: Locale,
  model: string | undefined,
  inputCapabilities: InputCapabilities,
): string {
  const words = texts[locale];
  const listed = listCommands(services, 'private', locale);
  return [words.intro(model), ...toParts(listed, TOPICS, words.topics), words.closing(inputCapabilities)].join('\n\n');
}

/** Topics of the commands of admins. */
const ADMIN_TOPICS = [
  { topic: 'users', names: ['allow', 'disallow', 'invite', 'ban', 'unban', 'plan', 'note'] },
  { topic: 'service', names: ['stats', 'audit', 'announce', 'takedown'] },
] as const;

function toAdminHelp(services: BotServices, locale: Locale): string {
  return toParts(listCommands(services, 'admin', locale), ADMIN_TOPICS, texts[locale].adminTopics).join('\n\n');
}

/** Returns a heading and the lines of its commands for each topic. Commands without a topic come last. */
function toParts<Topic extends string>(
  commands: ReturnType<typeof listCommands>,
  topics: readonly { readonly topic: Topic; readonly names: readonly string[] }[],
  headings: Readonly<Record<Topic, string>>,
): readonly string[] {
  const toLine = ({ command, description }: (typeof commands)[number]) => `/${command} – ${description}`;
  const isNamed = (command: string) => topics.some(({ names }) => names.includes(command));
  const parts = topics.map(({ topic, names }) => {
    const own = names.flatMap((name) => commands.find(({ command }) => command === name) ?? []);
    return own.length === 0 ? [] : [headings[topic], ...own.map(toLine)];
  });
  const others = commands.filter(({ command }) => !isNamed(command)).map(toLine);
  return [...parts, others].filter(({ length }) => length > 0).map((lines) => lines.join('\n'));
}

export const texts = defineTexts({
  en: {
    command: 'What I can do',
    intro: (model: string | undefined) =>
      `Write a message, and ${model ?? 'an AI model'} answers. Reply to an earlier answer to continue from there.`,
    closing: ({ hasSpeechToText, hasTextToSpeech }: InputCapabilities) =>
      `Ask in your own words: “remember that …”, “remind me in 20 minutes …”, “draw a chart of …”.\n\nI read text, photos${hasSpeechToText ? ', voice messages' : ''} and documents with a question; other files get a link.${hasTextToSpeech ? ' 🔊 reads an answer aloud.' : ''} In groups I answer mentions and replies.`,
    topics: {
      conversations: 'Conversations',
      models: 'Models and style',
      memory: 'Memory, tasks and search',
      files: 'Images and files',
      account: 'Your account and data',
    },
    adminTopics: { users: 'For admins: users', service: 'For admins: the service' },
  },
  ru: {
    command: 'Что я умею',
    intro: (model) =>
      `Напишите сообщение, и ${model ?? 'модель ИИ'} ответит. Ответьте на прежний ответ, чтобы продолжить с него.`,
    closing: ({ hasSpeechToText, hasTextToSpeech }) =>
      `Просите своими словами: «запомни, что …», «напомни через 20 минут …», «нарисуй диаграмму …».\n\nЯ понимаю текст, фото${hasSpeechToText ? ', голосовые' : ''} и документы с вопросом; другим файлам даю ссылку.${hasTextToSpeech ? ' 🔊 прочтёт ответ вслух.' : ''} В группах отвечаю на упоминания и ответы мне.`,
    topics: {
      conversations: 'Разговоры',
      models: 'Модели и стиль',
      memory: 'Память, задачи и поиск',
      files: 'Изображения и файлы',
      account: 'Аккаунт и данные',
    },
    adminTopics: { users: 'Для администраторов: пользователи', service: 'Для администраторов: сервис' },
  },
});
