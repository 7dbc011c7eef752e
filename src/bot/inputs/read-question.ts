import type { Message } from 'grammy/types';
import { type Attachment, isReminder } from '../../core/conversations/index.ts';
import { fromEntities } from '../../telegram/markdown/index.ts';
import { readAddressed, readAddressedText } from '../kit/address.ts';
import type { BotContext } from '../kit/context.ts';
import type { BotServices } from '../kit/services.ts';
import { type Bearer, findAttachment, findUnreadableName, toStoredAttachment } from './attachment.ts';
import { describeContent, describeOrigin, readFormatted } from './describe-message.ts';
import { listFileIds } from './find-file-id.ts';
import { toQuote } from './foreign-text.ts';
import type { IncomingQuestion } from './incoming-questions.ts';
import { type LinkedPage, listLinks, listLinksReplied } from './links.ts';
import { joinParts, type Question } from './question.ts';

const NO_FILES: ReadonlyMap<string, Attachment> = new Map();

/** Returns the question with its context: quotes, the replied-to message, its own images and files. */
export async function readQuestion(
  services: BotServices,
  ctx: BotContext,
  { parts }: Pick<IncomingQuestion, 'parts'>,
): Promise<Question> {
  const [first] = parts;
  const own = parts.flatMap((part) => findOwnAttachment(services, ctx, part) ?? []);
  const stored = own.length > 0 ? NO_FILES : await findStoredFiles(services, ctx, first.text);
  const replying = parts.find(isReply) ?? first;
  const { parent, repliedReminderId, quoted, attachments, links } = await readRepliedTo(services, ctx, replying);
  const isAboutIt = parent !== undefined || quoted !== undefined || attachments.length > 0;
  const wantsSummary = isAboutIt && own.length === 0 && isSummaryRequest(readWords(ctx, first));
  const written = parts.map((part) => {
    const quotes = part === first && quoted !== undefined ? [toQuote(quoted)] : [];
    const words = wantsSummary ? ctx.texts.inputs.summarise : readWords(ctx, part);
    const content = [...quotes, words].filter(Boolean).join('\n\n');
    return { telegramMessageId: part.message_id, content };
  });
  return {
    content: joinParts(written).content,
    attachments: withLinks(own.length > 0 ? own : stored.size > 0 ? [...stored.values()] : attachments, [
      ...links.map((link) => (wantsSummary && links.length === 1 ? ({ ...link, kind: 'page' } as const) : link)),
      // Stored files are read directly: over HTTP they would count as downloads.
      ...parts.flatMap(listLinks).filter(({ url }) => !listFileIds(url).some((id) => stored.has(id))),
    ]),
    telegramMessageId: first.message_id,
    ...(written.length > 1 && { parts: written }),
    parent,
    repliedReminderId,
  };
}

/**
 * Returns a question from a chat that the bot is not a member of: only the message and the one that it replies to are
 * known.
 */
export async function readGuestQuestion(
  services: BotServices,
  ctx: BotContext,
  message: Message,
): Promise<Pick<Question, 'content' | 'attachments'>> {
  const { reply_to_message: replied, external_reply: external } = message;
  const bearer = replied ?? external;
  const quoted = readQuoted(services, ctx, message, bearer);
  const file =
    findOwnAttachment(services, ctx, message) ?? (bearer && findAttachment(services, bearer, message, ctx.texts));
  const words = readWords(ctx, message);
  const wantsSummary = bearer !== undefined && isSummaryRequest(words);
  const content = [quoted === undefined ? '' : toQuote(quoted), wantsSummary ? ctx.texts.inputs.summarise : words]
    .filter(Boolean)
    .join('\n\n');
  const links = [...(replied ? listLinksReplied(replied, words) : []), ...listLinks(message)];
  return { content, attachments: withLinks(file ? [file] : [], links) };
}

/** Appends links to the files, each address once. */
function withLinks(files: readonly Attachment[], links: readonly LinkedPage[]): readonly Attachment[] {
  const first = new Map(links.toReversed().map((link) => [link.url, link]));
  return [...files, ...links.filter((link) => first.get(link.url) === link)];
}

/** In a topic every message formally replies to the service message that opened the topic. */
function isReply({ reply_to_message: replied, external_reply: external }: Message): boolean {
  return external !== undefined || (replied !== undefined && !replied.forum_topic_created);
}

/** Returns the question about a page that the user has asked to read without further text. */
export function toPageQuestion({ texts }: BotContext, page: LinkedPage, telegramMessageId: number): Question {
  const content = texts.inputs.pageQuestion(page.url);
  return { content, attachments: [page], telegramMessageId, parent: undefined };
}

/** Returns the file of the user's message. A voice message that is not forwarded contains the user's own words. */
function findOwnAttachment(services: BotServices, ctx: BotContext, message: Message): Attachment | undefined {
  const attachment = findAttachment(services, message, message, ctx.texts);
  const isOwnVoice = Boolean(message.voice ?? message.video_note) && !message.forward_origin;
  return attachment?.kind === 'recording' && isOwnVoice ? { ...attachment, isOwnVoice } : attachment;
}

function readWords(ctx: BotContext, message: Message): string {
  const words = describeContent(message) ?? fromEntities(readAddressed(message, ctx.me));
  const content = message.animation ? `${ONE_FRAME}\n${words}` : words;
  const origin = describeOrigin(message);
  return origin === undefined ? content : `${origin}\n${content}`.trim();
}

/**
 * Reads the replied-to message. Messages outside of the conversation are quoted for the model; menus and errors of the
 * bot are not. The reply to a reminder continues the conversation of the reminder.
 */
async function readRepliedTo(services: BotServices, ctx: BotContext, message: Message) {
  const { reply_to_message: replied, external_reply: external } = message;
  const known = replied && (await services.conversations.findByDelivery(message.chat.id, replied.message_id));
  const reminder = known && isReminder(known) ? known : undefined;
  const parent = reminder ? await services.conversations.findLatestMessage(reminder.conversationId) : known;
  const isOwn = replied?.from?.id === ctx.me.id;
  const foreign = known || isOwn ? undefined : replied;
  const bearer = foreign ?? external;
  const quoted = readQuoted(services, ctx, message, bearer);
  const file = bearer && findAttachment(services, bearer, message, ctx.texts);
  const shown = replied && isOwn && !known ? [...(await findStoredFiles(services, ctx, replied.text)).values()] : [];
  const links = foreign ? listLinksReplied(foreign, readAddressedText(message, ctx.me)) : [];
  return { parent, repliedReminderId: reminder?.parentId, quoted, attachments: file ? [file] : shown, links };
}

/** Returns the text of the message that is replied to, with a mark of a file that the model can't see completely. */
function readQuoted(
  services: BotServices,
  ctx: BotContext,
  message: Message,
  bearer: (Bearer & Parameters<typeof describeContent>[0] & Parameters<typeof readFormatted>[0]) | undefined,
): string | undefined {
  const unreadable = bearer && findUnreadableName(services, bearer, message, ctx.texts);
  const mark = unreadable === undefined ? bearer?.animation && ONE_FRAME : `[file ${unreadable}, which can’t be read]`;
  const text = bearer && describeContent(bearer);
  const words = message.quote ? fromEntities(message.quote) : ((bearer && readFormatted(bearer)) ?? text);
  return [mark, words].filter((line) => line !== undefined).join('\n') || undefined;
}

/** Mark of an animation, which goes to the model as an image. */
const ONE_FRAME = '[animation, of which you see one frame]';

/** Maximum number of files to attach from a list that the bot has sent. */
const MAX_LISTED_FILES = 4;

/** Returns the user's files whose links are in a text, by id. */
async function findStoredFiles(
  services: BotServices,
  ctx: BotContext,
  text = '',
): Promise<ReadonlyMap<string, Attachment>> {
  const ids = listFileIds(text).slice(0, MAX_LISTED_FILES);
  const files = await Promise.all(ids.map((id) => services.storage.find(id)));
  const readable = files.flatMap((file): readonly (readonly [string, Attachment])[] => {
    const attachment = file?.userId === ctx.user.id ? toStoredAttachment(services, file) : undefined;
    return file && attachment ? [[file.id, attachment]] : [];
  });
  return new Map(readable);
}

/** Phrases that only ask for a summary, in the languages of the bot. */
const ENGLISH = /^(?:please )?(?:summari[sz]e|summary|sum up|tl;? ?dr|gist)(?: (?:this|that|it|please))*$/i;
const RUSSIAN =
  /^(?:(?:перескажи|изложи) (?:кратко|вкратце)|кратко|вкратце|покороче|(?:в ч[её]м )?суть|резюме|саммари|суммируй|подытожь|перескажи|краткое содержание)(?: (?:это|пожалуйста))*$/iu;

/** Returns whether a reply only asks to summarise the replied-to message, by a phrase or a command. */
export function isSummaryRequest(words: string): boolean {
  const plain = words
    .replace(/^\/(\w+)(?:@\w+)?\s*$/, '$1')
    .replace(/[\s,.!?:…]+/g, ' ')
    .trim();
  return ENGLISH.test(plain) || RUSSIAN.test(plain);
}
