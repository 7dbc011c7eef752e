import type { AttachmentText, StoredMessage } from '../../core/conversations/index.ts';
import type { ChatMessage, Content, ContentPart } from '../../core/models/index.ts';
import { AnswerFailedError } from '../failures/failure.ts';
import { containForeignText } from '../inputs/foreign-text.ts';
import type { LinkedPage } from '../inputs/links.ts';
import { loadPhoto, type Photo } from '../inputs/photo.ts';
import type { BotServices } from '../kit/services.ts';
import type { AnswerInstructions } from './answer-instructions.ts';
import { type AnswerRequest, addContext } from './answer-request.ts';
import { choosePdfs, findContextLength } from './choose-pdfs.ts';
import { buildContext, type ContextMessage } from './context-window.ts';
import { includeRecentMessages } from './include-recent-messages.ts';
import { includeTexts, listMessagesWithTexts } from './include-texts.ts';
import { breakOffText } from './join-continuation.ts';
import { type LoadedPdf, loadPdfs, reportUnseenPages } from './load-pdfs.ts';
import { type ReadingOptions, readAttachments, seesPages } from './read-attachments.ts';
import { markReminders, readRemindedPath, toReplyMarks, withReminders } from './reminders.ts';

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
 * the start of an answer to continue.
 * @throws AnswerFailedError if the model does not accept the question's images, or a file can't be read; the signal's
 * reason.
 */
export async function toChatMessages(
  services: BotServices,
  request: AnswerRequest & Pick<AnswerInstructions, 'systemPrompt'>,
  options: ReadingOptions,
  signal: AbortSignal,
): Promise<ReadConversation> {
  const { model, systemPrompt, prefix } = request;
  const contextLength = findContextLength(model);
  const seesPhotos = model.acceptsImages !== false;
  const { fullPath, reminderIds } = await readRemindedPath(services, request.question);
  // The question may have changed while it was queued.
  const question = fullPath.at(-1) ?? request.question;
  if (question.attachments.some(isNeededPhoto) && !seesPhotos) throw new AnswerFailedError({ kind: 'noVision' });
  const read = () => readAttachments(services, { ...request, question }, options, signal);
  const { isRead, unopened } = await (request.readings?.run(read, { signal }) ?? read());
  const partialAnswer = {
    ...question,
    id: request.answerId,
    parentId: question.id,
    role: 'assistant',
    content: breakOffText(prefix).known,
    attachments: [],
    extras: request.prefixExtras,
  } as const;
  const plainMessages = prefix === '' ? fullPath : [...fullPath, partialAnswer];
  const texts = await services.conversations.listTexts(listMessagesWithTexts(plainMessages));
  const pdfs = options.sendsPdfs ? await loadPdfs(services, request, choosePdfs(fullPath, texts, model), signal) : [];
  if (!options.sendsPdfs || !seesPages(model)) refuseScanned(question, texts);
  const { path, cuts } = includeTexts(plainMessages, texts, contextLength, pdfs);
  if (isRead) {
    await reportCuts(services, request, cuts);
    await reportUnseenPages(services, { ...request, question }, texts, pdfs);
  }
  const recentMessages = await withRecentMessages(services, request, path);
  const context = buildContext({
    path: markReminders(withUnopened(recentMessages.path, question.id, unopened), { reminderIds }),
    systemPrompt,
    contextLength,
    countFileTokens: (message) => listPdfsOf(message, pdfs).reduce((sum, { tokens }) => sum + tokens, 0),
  });
  const withPhotos = listNewestPhotos(context);
  const messages: ChatMessage[] = [];
  const writtenMessages: ChatMessage[] = [];
  const composedIds = new Set<ContextMessage['id']>(
    path.flatMap(({ id, role, extras }) => (isComposed({ role, extras }) ? id : [])),
  );
  const reminders: string[] = [];
  const replyMarks = toReplyMarks(path);
  for (const message of context) {
    const isWritten = message.role !== 'system' && !composedIds.has(message.id);
    if (reminderIds.has(message.id)) {
      if (isWritten) writtenMessages.push({ role: 'user', content: message.content });
      reminders.push(message.content);
      continue;
    }
    const content =
      seesPhotos && withPhotos.includes(message)
        ? await toContentParts(services, message, signal)
        : toPlainContent(message);
    const pdfParts = listPdfsOf(message, pdfs).flatMap(({ parts }) => parts);
    const read = { role: message.role, content: pdfParts.length > 0 ? [...pdfParts, ...toParts(content)] : content };
    if (isWritten) writtenMessages.push(read);
    const before = message.role === 'user' ? [...reminders.splice(0), ...(replyMarks.get(message.id) ?? [])] : [];
    messages.push(before.length > 0 ? { ...read, content: withReminders(before, read.content) } : read);
  }
  if (prefix !== '') messages.push(GO_ON);
  const hasReadLinks = texts.some(({ messageId, position }) => isLink(path, messageId, position));
  return {
    messages,
    writtenMessages,
    hasPdfs: pdfs.length > 0,
    hasForeignText: recentMessages.hasLines || hasReadLinks || containForeignText(path, request.userId),
  };
}

/** Returns whether a model has written a message of the user after it had read text of others. */
function isComposed({ role, extras }: Pick<StoredMessage, 'role' | 'extras'>): boolean {
  return role === 'user' && extras.hasForeignText === true;
}

/** @throws AnswerFailedError if a document of the question has no text for a model that can't see its pages. */
function refuseScanned(question: StoredMessage, texts: readonly AttachmentText[]): void {
  for (const { messageId, position, text } of texts) {
    const file = messageId === question.id && text === '' ? question.attachments[position] : undefined;
    if (file && 'name' in file)
      throw new AnswerFailedError({ kind: 'unreadable', problem: 'scanned', name: file.name });
  }
}

function listPdfsOf({ id }: Pick<ContextMessage, 'id'>, pdfs: readonly LoadedPdf[]): readonly LoadedPdf[] {
  return pdfs.filter(({ messageId }) => messageId === id);
}

function isLink(path: readonly StoredMessage[], messageId: number, position: number): boolean {
  return path.find(({ id }) => id === messageId)?.attachments[position]?.kind === 'link';
}

/** Adds the stored group messages to the question, in groups with remembered messages. This is their only use. */
async function withRecentMessages(
  { clock, conversations, groups }: BotServices,
  { question, chatTopic, group, userId, userName, model }: AnswerRequest,
  path: readonly StoredMessage[],
): Promise<{ readonly path: readonly StoredMessage[]; readonly hasLines: boolean }> {
  if (!group?.storesRecentMessages) return { path, hasLines: false };
  const [questionMessageId] = await conversations.listShownIn({ answerId: question.id, chatId: chatTopic.chatId });
  const recentMessages = await groups.listRecentMessages(chatTopic, questionMessageId);
  // An admin can request another answer to a question of another user.
  const user = question.userId === userId ? userName : undefined;
  const facts = { user, now: clock.now(), contextLength: model.contextLength };
  const withLines = path.map((message) =>
    message.id === question.id
      ? { ...message, content: includeRecentMessages(message.content, recentMessages, facts) }
      : message,
  );
  return { path: withLines, hasLines: recentMessages.length > 0 };
}

/** Marks links that could not be opened, so that the model does not invent their content. */
function withUnopened(
  path: readonly StoredMessage[],
  questionId: number,
  unopened: readonly LinkedPage[],
): readonly StoredMessage[] {
  if (unopened.length === 0) return path;
  const marks = unopened.map(({ url }) => `[could not be opened: ${url}]`).join('\n');
  return path.map((message) =>
    message.id === questionId ? { ...message, content: `${marks}\n\n${message.content}` } : message,
  );
}

function isNeededPhoto(attachment: ContextMessage['attachments'][number]): boolean {
  return isPhoto(attachment) && attachment.isOptional !== true;
}

function isPhoto(attachment: ContextMessage['attachments'][number]): attachment is Photo {
  return attachment.kind === 'photo';
}

/** Maximum number of messages with images, and of images in all: the newest ones, because images are large. */
const MAX_PHOTO_MESSAGES = 4;
const MAX_PHOTOS = 10;

/**
 * Returns the newest messages with images. An album is included completely or not at all; that of the question always.
 */
function listNewestPhotos(context: readonly ContextMessage[]): readonly ContextMessage[] {
  const messages = context.filter(({ attachments }) => attachments.some(isPhoto)).slice(-MAX_PHOTO_MESSAGES);
  let count = 0;
  return messages.toReversed().filter(({ attachments }, index) => {
    count += attachments.filter(isPhoto).length;
    return index === 0 || count <= MAX_PHOTOS;
  });
}

/** Reports cut documents once, with the question that contains them. */
async function reportCuts(
  services: BotServices,
  request: AnswerRequest,
  cuts: readonly { readonly messageId: number; readonly name: string; readonly share: number }[],
): Promise<void> {
  const lines = cuts
    .filter(({ messageId }) => messageId === request.question.id)
    .map(({ name, share }) => request.texts.inputs.cut(name, Math.max(1, Math.round(share * 100)), request.model.id));
  if (lines.length > 0) await addContext(services, request, { text: lines.join('\n') });
}

async function toContentParts(services: BotServices, message: ContextMessage, signal: AbortSignal): Promise<Content> {
  const parts: ContentPart[] = message.content === '' ? [] : [{ type: 'text', text: message.content }];
  for (const attachment of message.attachments) {
    if (!isPhoto(attachment)) continue;
    const url = await loadPhoto(services, attachment, signal).catch((error: unknown) => {
      if (attachment.isOptional && error instanceof AnswerFailedError) return undefined;
      throw error;
    });
    if (url !== undefined) parts.push({ type: 'image', url });
  }
  return parts;
}

function toParts(content: Content): readonly ContentPart[] {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [{ type: 'text', text: content }];
}

/** Replaces images that are not included by a placeholder, so that no message is empty. */
function toPlainContent(message: ContextMessage): string {
  return message.attachments.some(isNeededPhoto) ? `[photo] ${message.content}`.trim() : message.content;
}
