import type { Attachment, AttachmentText, StoredMessage } from '../../core/conversations/index.ts';
import type { ChatMessage, Content, ContentPart } from '../../core/models/index.ts';
import { containForeignText } from '../inputs/foreign-text.ts';
import type { LinkedPage } from '../inputs/links.ts';
import { loadPhoto, type Photo } from '../inputs/photo.ts';
import { AnswerFailedError } from '../kit/failure.ts';
import type { BotServices } from '../kit/services.ts';
import type { AnswerInstructions } from './answer-instructions.ts';
import { type AnswerRequest, addContext } from './answer-request.ts';
import { choosePdfs, findContextLength } from './choose-pdfs.ts';
import { fitMessages } from './fit-messages.ts';
import { includeRecentMessages, type RecentMessage } from './include-recent-messages.ts';
import { includeTexts, listMessagesWithTexts } from './include-texts.ts';
import { loadPdfs, reportUnseenPages } from './load-pdfs.ts';
import type { PromptMessage } from './prompt-message.ts';
import { type ReadingParams, readAttachments, seesPages } from './read-attachments.ts';
import { joinReminders, readPath } from './read-path.ts';

/** Providers differ in whether a model can continue an assistant message; this instruction works with every model. */
const GO_ON: ChatMessage = {
  role: 'user',
  content:
    'Your last message broke off. Go on with it from exactly where it ends: begin with the very next word, repeat nothing, say nothing about it, keep language and formatting.',
};

/** Input of a model's first step. */
export interface ReadConversation {
  readonly messages: readonly ChatMessage[];
  /** Those without the system prompt and without texts of tasks that a model has written after it had read text of others. */
  readonly writtenMessages: readonly ChatMessage[];
  /** Parts of it were not written by the user who is answered. */
  readonly hasForeignText: boolean;
  /** PDF files are sent as they are, or as images of their pages. */
  readonly hasPdfs: boolean;
}

/**
 * Builds the messages of a request: the conversation up to the question, with its images and the text of its files, and
 * the beginning of an answer to continue. Four passes: read, include, fit, send.
 * @throws AnswerFailedError if the model does not accept the question's images, or a file can't be read; the signal's
 * reason.
 */
export async function toChatMessages(
  services: BotServices,
  asked: AnswerRequest & Pick<AnswerInstructions, 'systemPrompt'>,
  reading: ReadingParams,
  signal: AbortSignal,
): Promise<ReadConversation> {
  const { path, question } = await readPath(services, asked);
  const request = { ...asked, question };
  const { model, systemPrompt } = request;
  const seesPhotos = model.acceptsImages !== false;
  if (question.attachments.some(isNeededPhoto) && !seesPhotos) throw new AnswerFailedError({ kind: 'noVision' });
  const read = await readFiles(services, request, path, reading, signal);
  const included = includeTexts(read.path, findContextLength(model));
  if (read.isRead) await reportFiles(services, request, included);
  const recentMessages = await findRecentMessages(services, request);
  const noted = included.map((message) =>
    message.stored === question
      ? { ...message, text: includeNotes(services, request, { ...read, text: message.text, recentMessages }) }
      : message,
  );
  const fitting = fitMessages(noted, systemPrompt, findContextLength(model));
  const sent = joinReminders(seesPhotos ? choosePhotos(fitting) : fitting);
  return {
    messages: await sendMessages(services, request, sent, signal),
    writtenMessages: fitting.flatMap(({ stored: { role }, text, isComposed }) =>
      isComposed ? [] : [{ role, content: text }],
    ),
    hasPdfs: included.some(({ pdfs }) => pdfs.length > 0),
    hasForeignText:
      Boolean(recentMessages?.length) ||
      included.some(hasReadLink) ||
      containForeignText(
        included.map(({ stored }) => stored),
        request.userId,
      ),
  };
}

/** Reads the attachments of the question, and adds to the path the texts of its files and the PDF files to send. */
async function readFiles(
  services: BotServices,
  request: AnswerRequest,
  path: readonly PromptMessage[],
  reading: ReadingParams,
  signal: AbortSignal,
) {
  const { question, model, readings } = request;
  const read = () => readAttachments(services, request, reading, signal);
  const { isRead, unopened } = await (readings?.run(read, { signal }) ?? read());
  const fileTexts = await services.conversations.listTexts(listMessagesWithTexts(path));
  const withTexts = path.map((message) => ({ ...message, fileTexts: fileTexts.filter(isOf(message)) }));
  const pdfs = reading.sendsPdfs ? await loadPdfs(services, request, choosePdfs(withTexts, model), signal) : [];
  if (!reading.sendsPdfs || !seesPages(model)) refuseScanned(question, fileTexts);
  return { path: withTexts.map((message) => ({ ...message, pdfs: pdfs.filter(isOf(message)) })), isRead, unopened };
}

function isOf({ stored }: PromptMessage) {
  return ({ messageId }: { readonly messageId: number }) => messageId === stored.id;
}

/** @throws AnswerFailedError if a document of the question has no text for a model that can't see its pages. */
function refuseScanned(question: StoredMessage, texts: readonly AttachmentText[]): void {
  for (const { messageId, position, text } of texts) {
    const file = messageId === question.id && text === '' ? question.attachments[position] : undefined;
    if (file && 'name' in file)
      throw new AnswerFailedError({ kind: 'unreadable', problem: 'scanned', name: file.name });
  }
}

/** Returns whether a link of the message was opened. */
function hasReadLink({ stored, fileTexts }: PromptMessage): boolean {
  return fileTexts.some(({ position }) => stored.attachments[position]?.kind === 'link');
}

/** Reports once, with their question, documents of which the model does not get everything. */
async function reportFiles(
  services: BotServices,
  request: AnswerRequest,
  path: readonly PromptMessage[],
): Promise<void> {
  const message = path.find(({ stored }) => stored === request.question);
  if (!message) return;
  const lines = message.cuts.map(({ name, share }) =>
    request.texts.inputs.cut(name, Math.max(1, Math.round(share * 100)), request.model.id),
  );
  if (lines.length > 0) await addContext(services, request, { text: lines.join('\n') });
  await reportUnseenPages(services, request, message);
}

/** Returns the stored messages of a group that remembers them. This is their only use. */
async function findRecentMessages(
  { conversations, groups }: BotServices,
  { question, chatTopic, group }: AnswerRequest,
): Promise<readonly RecentMessage[] | undefined> {
  if (!group?.storesRecentMessages) return undefined;
  const [questionMessageId] = await conversations.listShownIn({ answerId: question.id, chatId: chatTopic.chatId });
  return groups.listRecentMessages(chatTopic, questionMessageId);
}

/** Adds to the text of the question the messages of the group, and marks of links that could not be opened. */
function includeNotes(
  { clock }: BotServices,
  { question, userId, userName, model: { contextLength } }: AnswerRequest,
  {
    text,
    recentMessages,
    unopened,
  }: {
    readonly text: string;
    readonly recentMessages: readonly RecentMessage[] | undefined;
    readonly unopened: readonly LinkedPage[];
  },
): string {
  // An admin can request another answer to a question of another user.
  const user = question.userId === userId ? userName : undefined;
  const facts = { user, now: clock.now(), contextLength };
  const asked = recentMessages ? includeRecentMessages(text, recentMessages, facts) : text;
  // Without a mark, models invent the content of a page.
  const marks = unopened.map(({ url }) => `[could not be opened: ${url}]`).join('\n');
  return marks === '' ? asked : `${marks}\n\n${asked}`;
}

/** Maximum number of messages with images, and of images in all: the newest ones, because images are large. */
const MAX_PHOTO_MESSAGES = 4;
const MAX_PHOTOS = 10;

/**
 * Adds the images of the newest messages that have some. An album is included completely or not at all; that of the
 * newest one always.
 */
function choosePhotos(messages: readonly PromptMessage[]): readonly PromptMessage[] {
  let [messageCount, photoCount] = [0, 0];
  const choose = (message: PromptMessage): PromptMessage => {
    const photos = message.stored.attachments.filter(isPhoto);
    if (photos.length === 0) return message;
    messageCount += 1;
    photoCount += photos.length;
    const isChosen = messageCount === 1 || (messageCount <= MAX_PHOTO_MESSAGES && photoCount <= MAX_PHOTOS);
    return isChosen ? { ...message, photos } : message;
  };
  return messages.toReversed().map(choose).toReversed();
}

function isNeededPhoto(attachment: Attachment): boolean {
  return isPhoto(attachment) && attachment.isOptional !== true;
}

function isPhoto(attachment: Attachment): attachment is Photo {
  return attachment.kind === 'photo';
}

async function sendMessages(
  services: BotServices,
  { systemPrompt, prefix }: Pick<AnswerRequest, 'prefix'> & Pick<AnswerInstructions, 'systemPrompt'>,
  path: readonly PromptMessage[],
  signal: AbortSignal,
): Promise<readonly ChatMessage[]> {
  const messages: ChatMessage[] = systemPrompt ? [{ role: 'system', content: systemPrompt }] : [];
  for (const message of path) {
    messages.push({ role: message.stored.role, content: await toContent(services, message, signal) });
  }
  if (prefix !== '') messages.push(GO_ON);
  return messages;
}

async function toContent(
  services: BotServices,
  { stored, notes, text, pdfs, photos }: PromptMessage,
  signal: AbortSignal,
): Promise<Content> {
  // A placeholder for images that are not included, so that no message is empty.
  const isLeftOut = photos.length === 0 && stored.attachments.some(isNeededPhoto);
  const ownText = isLeftOut ? `[photo] ${text}`.trim() : text;
  if (pdfs.length + photos.length === 0) return [...notes, ownText].filter(Boolean).join('\n\n');
  const images = await loadPhotos(services, photos, signal);
  return [...notes.flatMap(toTextParts), ...pdfs.flatMap(({ parts }) => parts), ...toTextParts(ownText), ...images];
}

function toTextParts(text: string): readonly ContentPart[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

async function loadPhotos(services: BotServices, photos: readonly Photo[], signal: AbortSignal) {
  const parts: ContentPart[] = [];
  for (const photo of photos) {
    const url = await loadPhoto(services, photo, signal).catch((error: unknown) => {
      if (photo.isOptional && error instanceof AnswerFailedError) return undefined;
      throw error;
    });
    if (url !== undefined) parts.push({ type: 'image', url });
  }
  return parts;
}
