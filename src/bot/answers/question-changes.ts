import { isDeepStrictEqual } from 'node:util';
import { type Attachment, listUnchanged, type StoredMessage } from '../../core/conversations/index.ts';
import type { LinkedPage } from '../inputs/links.ts';
import { joinParts, listParts, type Question, type QuestionPart, toHeldMs } from '../inputs/question.ts';
import type { AnswerContext } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';
import type { Answer, AnswerStart } from './answer.ts';
import type { AnswerQueue } from './queue.ts';

/**
 * Result of an edited question. `answered`: a new answer is being written. `unchanged`: the text is the same.
 * `left-behind`: the conversation has newer messages after its answer, or models were compared there. `noted`: the same, and the previous version had
 * no answer either.
 */
export type Revision = 'answered' | 'unchanged' | 'unknown' | 'left-behind' | 'noted' | 'full' | 'overloaded';

/** Changes of questions after they were sent. */
export type QuestionChanges = ReturnType<typeof createQuestionChanges>;

interface QuestionWork {
  readonly queue: AnswerQueue<Answer>;
  readonly begin: (context: AnswerContext, question: StoredMessage, start: AnswerStart) => Promise<void>;
  readonly takeButtons: (chatTopic: AnswerContext['chatTopic']) => void;
}

/** Maximum time since the last message of a queued question for another one to be merged into it, in milliseconds. */
const QUICK_MS = 3000;
const MAX_CHARACTERS = 200_000;

export function createQuestionChanges(services: BotServices, { queue, begin, takeButtons }: QuestionWork) {
  const { conversations, clock } = services;

  /** Returns the open answer job of the user that can still take this message. */
  const findOpen = ({ chatTopic, user }: AnswerContext): Answer | undefined => {
    const job = queue.listJobs(chatTopic).at(-1);
    if (!job || job.userId !== user.id || !job.questionMayChange || job.question.extras.taskRun) return undefined;
    const { state, askedAt } = job;
    const isOpen = state === 'generating' || (state === 'queued' && clock.now() - askedAt <= QUICK_MS);
    return isOpen ? job : undefined;
  };

  const branchOff = async (
    question: StoredMessage,
    words: Words,
    { chatTopic, user }: AnswerContext,
    isAside: boolean,
  ) => {
    const { conversationId, parentId } = question;
    const [first, ...rest] = words.parts;
    const branch = await conversations.addMessage({
      ...{ conversationId, parentId, role: 'user', userId: user.id, isAside },
      content: words.content,
      attachments: words.attachments ?? question.attachments,
      extras: words.extras,
      ...(first && { shownIn: { chatId: chatTopic.chatId, telegramMessageId: first.telegramMessageId } }),
      alsoShownIn: rest.map(({ telegramMessageId }) => telegramMessageId),
    });
    const unchanged = listUnchanged(question.attachments, branch.attachments);
    for (const text of await conversations.listTexts([question.id]))
      if (unchanged.includes(text.position)) await conversations.storeText({ ...text, messageId: branch.id });
    return branch;
  };

  return {
    /**
     * Merges a message into the user's previous question if that was sent just now and its answer does not show yet.
     * @returns false if the message is a question of its own.
     */
    async extend(context: AnswerContext, more: Question): Promise<boolean> {
      const job = more.parent || !more.attachments.every(isPage) ? undefined : findOpen(context);
      const question = job && (await conversations.findMessage(job.question.id));
      if (!job || !question || question.content.length + more.content.length > MAX_CHARACTERS) return false;
      const { chatId } = context.chatTopic;
      const before = listParts(question, job.questionMessageId ?? 0);
      const { telegramMessageId, content } = more;
      const partIn = { chatId, telegramMessageId, page: before.length };
      const { extras, ...words } = joinParts([...before, { telegramMessageId, content }]);
      const attachments = addPages(question.attachments, more.attachments);
      await conversations.rewriteMessage(
        question.id,
        { ...words, extras: { ...question.extras, ...extras }, attachments },
        partIn,
      );
      job.askedAt = clock.now();
      job.heldUntil = clock.now() + toHeldMs(more);
      if (job.restart()) return true;
      // The answer has ended in the meantime.
      await begin(context, question, { origin: 'variant', replacedAnswerId: job.id });
      return true;
    },

    /** Handles an edited question. */
    async revise(context: AnswerContext, edited: Question): Promise<Revision> {
      const { chatTopic } = context;
      const question = await conversations.findByDelivery(chatTopic.chatId, edited.telegramMessageId);
      if (question?.role !== 'user') return 'unknown';
      const words = toWords(question, edited);
      // Telegram also sends an edit when it adds a link preview.
      if (words.content === question.content && !words.attachments) return 'unchanged';
      const job = queue.listJobs(chatTopic).find((one) => one.question.id === question.id && one.questionMayChange);
      if (job && (job.state === 'queued' || job.isBeingGenerated)) {
        await conversations.rewriteMessage(question.id, words);
        // If the answer has ended in the meantime, the code below generates another one.
        if (job.restart()) return 'answered';
      }
      const answer = await conversations.findLatestMessage(question.conversationId);
      // Compared answers stay as they are: the new version may be meant for one model.
      if (!answer || answer.parentId !== question.id || answer.extras.comparison) {
        const wasAnswered = await conversations.hasReply(question.id);
        await branchOff(question, words, context, true);
        return wasAnswered ? 'left-behind' : 'noted';
      }
      const capacity = queue.checkCapacity(chatTopic);
      if (capacity === 'full' || capacity === 'overloaded') return capacity;
      const branch = await branchOff(question, words, context, false);
      const replyTo = context.isGroup ? edited.telegramMessageId : undefined;
      const questionMessageId = edited.telegramMessageId;
      await begin(context, branch, { origin: 'edit', replyTo, questionMessageId, replacedAnswerId: answer.id });
      return 'answered';
    },

    /** Answers the newest version of an earlier question; the conversation continues from there. */
    async answerAnew(
      context: AnswerContext,
      telegramMessageId: number,
    ): Promise<'accepted' | 'stale' | 'full' | 'overloaded'> {
      const { chatTopic } = context;
      const question = await conversations.findByDelivery(chatTopic.chatId, telegramMessageId);
      if (question?.role !== 'user' || (await conversations.hasReply(question.id))) return 'stale';
      const capacity = queue.checkCapacity(chatTopic);
      if (capacity === 'full' || capacity === 'overloaded') return capacity;
      takeButtons(chatTopic);
      await begin(context, question, { origin: 'question', replyTo: telegramMessageId });
      return 'accepted';
    },
  };
}

interface Words extends Pick<StoredMessage, 'content' | 'extras'> {
  /** Undefined if unchanged. */
  readonly attachments: StoredMessage['attachments'] | undefined;
  readonly parts: readonly QuestionPart[];
}

/**
 * Returns the text and attachments of the edited question. A photo has no stable id, so it counts as unchanged while
 * the text is; other files are compared by their unique id and are not read again. An attachment from outside the
 * message is kept; links follow the new text.
 */
function toWords(question: StoredMessage, { telegramMessageId, content, attachments }: Question): Words {
  const parts = listParts(question, telegramMessageId).map((part) =>
    part.telegramMessageId === telegramMessageId ? { telegramMessageId, content } : part,
  );
  const joined = joinParts(parts);
  const [before, now] = [Object.groupBy(question.attachments, toGroup), Object.groupBy(attachments, toGroup)];
  const [files = [], filesNow = []] = [before.files, now.files];
  const isSame = joined.content === question.content && filesNow.length === files.length;
  const areKept = isSame || parts.length > 1 || filesNow.length === 0 || haveSameFiles(files, filesNow);
  const isStillThere = (page: Attachment) => !isIn(question.content, page) || isIn(joined.content, page);
  const pages = (before.pages ?? []).filter(isStillThere);
  const changed = addPages([...(areKept ? files : filesNow), ...pages], now.pages ?? []);
  const areAsBefore = isDeepStrictEqual(question.attachments, changed);
  const extras = { ...question.extras, ...joined.extras };
  return { ...joined, extras, parts, attachments: areAsBefore ? undefined : changed };
}

function toGroup(file: Attachment): 'files' | 'pages' {
  return isPage(file) ? 'pages' : 'files';
}

function isPage(file: Attachment): file is LinkedPage {
  return 'url' in file;
}

function isIn(words: string, file: Attachment): boolean {
  return isPage(file) && words.includes(file.url.replace(/^https?:\/\//, '').replace(/\/$/, ''));
}

/** Appends pages that are not in the list yet. */
function addPages(before: readonly Attachment[], more: readonly Attachment[]): readonly Attachment[] {
  const isNew = (page: Attachment) => !before.some((one) => isPage(one) && isPage(page) && one.url === page.url);
  return [...before, ...more.filter(isNew)];
}

function haveSameFiles(before: StoredMessage['attachments'], now: StoredMessage['attachments']): boolean {
  return before.length === now.length && before.every((file, index) => isSameFile(file, now[index]));
}

function isSameFile(before: Attachment, now: Attachment | undefined): boolean {
  if (before.kind === 'stored' && now?.kind === 'stored') return before.fileId === now.fileId;
  if (!now || !('telegramUniqueId' in before) || !('telegramUniqueId' in now)) return false;
  return before.telegramUniqueId === now.telegramUniqueId;
}
