import { Composer } from 'grammy';
import type { Message, Update } from 'grammy/types';
import { defineTexts } from '../../texts/define-texts.ts';
import { AlbumMemory } from '../inputs/album-memory.ts';
import { toInputCapabilities } from '../inputs/attachment.ts';
import { explainUnreadable } from '../inputs/incoming-questions.ts';
import type { LinkMemory } from '../inputs/link-memory.ts';
import { isEmptyQuestion, type Question } from '../inputs/question.ts';
import { readQuestion } from '../inputs/read-question.ts';
import { findAddress, findLeadingCommand, isUser } from '../kit/address.ts';
import { isGroup, toChatTopic, toChatTopicKey } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { Feature, FeatureHandlers } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';

/**
 * Questions to the model, unknown commands, and messages that the bot can't read. Runs after all other features that
 * handle messages.
 */
export const chat: Feature = { create: createHandlers };

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.use(createUnknownCommand(), createQuestions(services), createUnreadable(services));
  return { middleware: composer };
}

/**
 * Replies to unknown commands. In groups only to those with this bot's name: others may address another bot. A command
 * in a caption is part of the caption.
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

/** Turns messages that address the bot into questions to the model. */
function createQuestions(services: BotServices): Composer<BotContext> {
  const { questionService, albums, questions, lastLinks } = services;
  const composer = new Composer<BotContext>();
  const lateQuestions = createLateQuestions(services);
  composer.on('message', async (ctx, next) => {
    const albumFate = albums.find(ctx.message);
    if (albumFate === 'drawn') {
      albums.record(ctx.message, 'hint-sent');
      await ctx.reply(texts[ctx.locale].onePhotoOfAlbum);
    }
    if (albumFate) return;
    const found = await questions.find(ctx);
    if (!found) return next();
    if (found === 'taken') return;
    if ('unreadable' in found) return explainUnreadable(ctx, found);
    const question = withLastLink(lastLinks, ctx.message, await readQuestion(services, ctx, found));
    if (found.isLate) return questionService.store(ctx, question);
    if (isEmptyQuestion(question)) return void (await ctx.reply(ctx.texts.emptyQuestion));
    const fate = await lateQuestions.decide(ctx, ctx.message);
    if (fate === 'store') await questionService.store(ctx, question);
    else await questionService.ask(ctx, question);
  });
  return composer;
}

/** Adds the last link, unless the question has an attachment, a parent or a reply. */
function withLastLink(links: LinkMemory, message: Message, question: Question): Question {
  const last = links.take(message, question.content);
  const isFree = question.attachments.length === 0 && !question.parent && !message.reply_to_message;
  return last && isFree ? { ...question, attachments: [last] } : question;
}

/** An older question was sent while the bot was offline. */
const LATE_MS = 3_600_000;
const HOUR_MS = 3_600_000;

/** Creates the policy for questions from the time when the bot was offline: only the last one of each topic is answered. */
function createLateQuestions(services: BotServices) {
  /** Topics with a notice whose last question is still in the queue. */
  const notifiedTopics = new Set<string>();

  return {
    /**
     * Decides about a question, and sends one notice per topic about the delay.
     * @returns `store` if a later question will be answered instead.
     */
    async decide(ctx: BotContext, message: Message): Promise<'answer' | 'store'> {
      const ageMs = services.clock.now() - message.date * 1000;
      if (ageMs <= LATE_MS) return 'answer';
      const key = toChatTopicKey(toChatTopic(message));
      const isHere = (one: Message) =>
        isForBot(one, ctx) && toChatTopicKey(toChatTopic(one)) === key && !isSameAlbum(one, message);
      const waiting = (await ctx.listFollowing()).flatMap((update: Update) => update.message ?? []).filter(isHere);
      const followingCount = services.questions.count(ctx, waiting);
      if (!notifiedTopics.has(key)) await ctx.reply(ctx.texts.away(toRoughAge(ageMs), 1 + followingCount));
      if (followingCount === 0) {
        notifiedTopics.delete(key);
        return 'answer';
      }
      notifiedTopics.add(key);
      return 'store';
    },
  };
}

/** Rounds to hours, except for the first hours. */
function toRoughAge(ageMs: number): number {
  return ageMs < 1.5 * HOUR_MS ? ageMs : Math.round(ageMs / HOUR_MS) * HOUR_MS;
}

function isForBot(message: Message, { me }: BotContext): boolean {
  if (!isUser(message.from) || message.sender_chat || message.via_bot?.id === me.id) return false;
  return !isGroup(message.chat) || findAddress(message, me) !== undefined;
}

/** The other parts of the album belong to the question. */
function isSameAlbum({ media_group_id: albumId }: Message, question: Message): boolean {
  return albumId !== undefined && albumId === question.media_group_id;
}

/**
 * Replies that a message can't be read, once for an album: stories and games, and kinds that Telegram has added since.
 * Files arrive here in groups only: in private chats they are stored.
 */
function createUnreadable(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  const explained = new AlbumMemory<'explained'>();
  composer.on(
    ['message:document', 'message:voice', 'message:audio', 'message:video', 'message:video_note', 'message:animation'],
    (ctx) => ctx.reply(texts[ctx.locale].filesInGroups(toInputCapabilities(services).hasSpeechToText)),
  );
  composer.on('message', async (ctx, next) => {
    if (UNANSWERED_FIELDS.some((field) => ctx.message[field] !== undefined)) return next();
    if (explained.find(ctx.message)) return;
    explained.record(ctx.message, 'explained');
    await ctx.reply(texts[ctx.locale].unreadable(toInputCapabilities(services)));
  });
  return composer;
}

/**
 * Fields of messages that stay unanswered: service messages, which Telegram writes itself, and kinds that are known, so
 * that one which arrives here is malformed.
 */
const UNANSWERED_FIELDS: readonly (keyof Message)[] = [
  ...(['text', 'photo'] as const),
  ...(['new_chat_members', 'left_chat_member', 'new_chat_title', 'new_chat_photo', 'delete_chat_photo'] as const),
  ...(['group_chat_created', 'supergroup_chat_created', 'channel_chat_created', 'managed_bot_created'] as const),
  ...(['migrate_to_chat_id', 'migrate_from_chat_id', 'pinned_message', 'message_auto_delete_timer_changed'] as const),
  ...(['forum_topic_created', 'forum_topic_edited', 'forum_topic_closed', 'forum_topic_reopened'] as const),
  ...(['general_forum_topic_hidden', 'general_forum_topic_unhidden', 'chat_background_set', 'boost_added'] as const),
  ...(['video_chat_scheduled', 'video_chat_started', 'video_chat_ended', 'video_chat_participants_invited'] as const),
  ...(['chat_owner_left', 'chat_owner_changed', 'community_chat_added', 'community_chat_removed'] as const),
  ...(['community_chat_joined', 'poll_option_added', 'poll_option_deleted', 'proximity_alert_triggered'] as const),
  ...(['checklist_tasks_done', 'checklist_tasks_added', 'giveaway_created', 'giveaway_completed'] as const),
  ...(['gift', 'unique_gift', 'gift_upgrade_sent', 'successful_payment', 'refunded_payment'] as const),
  ...(['paid_message_price_changed', 'direct_message_price_changed', 'suggested_post_info'] as const),
  ...(['suggested_post_approved', 'suggested_post_approval_failed', 'suggested_post_declined'] as const),
  ...(['suggested_post_paid', 'suggested_post_refunded', 'users_shared', 'chat_shared', 'connected_website'] as const),
  ...(['write_access_allowed', 'passport_data', 'web_app_data'] as const),
];

export const texts = defineTexts({
  en: {
    unknownCommand: (command: string) => `I don’t know ${command}. /help lists what I can do.`,
    unreadable: ({ hasSpeechToText }: { readonly hasSpeechToText: boolean }) =>
      `I can read text, photos${hasSpeechToText ? ', voice messages' : ''} and documents, and save other files, but I can’t read this. Please send it as one of these.`,
    onePhotoOfAlbum: 'I edit one image at a time and used the first one of your album.',
    filesInGroups: (hasSpeechToText: boolean) =>
      `Reply to the file with /save to get a link. To ask about a document, reply to it with a question and mention me.${hasSpeechToText ? ' I answer voice messages in reply to me.' : ''}`,
  },
  ru: {
    unknownCommand: (command) => `Я не знаю команду ${command}. Что я умею: /help.`,
    unreadable: ({ hasSpeechToText }) =>
      `Я понимаю текст, фото${hasSpeechToText ? ', голосовые' : ''} и документы, а другие файлы сохраняю, но это прочитать не могу. Пришлите, пожалуйста, в таком виде.`,
    onePhotoOfAlbum: 'Я меняю по одной картинке за раз и взял из альбома первую.',
    filesInGroups: (hasSpeechToText) =>
      `Ответьте на файл командой /save, и я дам ссылку на него. Документ могу и прочитать: ответьте на него вопросом и упомяните меня.${hasSpeechToText ? ' На голосовые в ответ мне отвечаю.' : ''}`,
  },
});
