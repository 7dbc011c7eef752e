import type { InlineKeyboardMarkup } from 'grammy/types';
import type { User } from '../../../core/accounts/index.ts';
import type { Attachment, ChatTopic, InlineAnswer } from '../../../core/conversations/index.ts';
import type { ButtonTarget } from '../../../core/interactions/index.ts';
import { type Job, WorkStoppedError } from '../../../core/jobs/index.ts';
import type { ModelEntry } from '../../../core/models/index.ts';
import { toStartLink } from '../../../lib/start-link.ts';
import { shorten } from '../../../lib/text.ts';
import type { GeneratedAnswer } from '../../answers/answer.ts';
import { type GenerationRequest, generateAnswer } from '../../answers/generation/generation.ts';
import { toSourceList } from '../../answers/generation/sources.ts';
import { findAnsweringModel } from '../../choices/model-choice.ts';
import { toFirstWords } from '../../choices/topics.ts';
import { describeFailure, type Failure, listRemedies } from '../../kit/failure.ts';
import type { BotJobKind } from '../../kit/feature.ts';
import { type KeyboardButton, storeKeyboard } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { findLocale, locales, type Texts } from '../../texts/locales.ts';
import { createInlineReply } from './inline-reply.ts';
import { texts as inlineTexts } from './texts.ts';

/** Question whose answer is written into a message that can only be edited. */
export interface InlineQuestion {
  readonly inlineMessageId: string;
  readonly content: string;
  readonly attachments: readonly Attachment[];
  /** The message repeats the question, because the chat does not show it otherwise. */
  readonly showsQuestion: boolean;
}

/** User who asks, and the texts in their language. */
interface InlineUser {
  readonly user: User;
  readonly texts: Texts;
}

/** Answers in inline and guest messages. Their jobs belong to the user's private chat. */
export const inlineKind: BotJobKind = {
  name: 'inline',
  maxJobs: 500,
  maxUserJobs: 5,
  recover: resumeInlineAnswers,
};

type InlineOutcome = 'begun' | 'known' | 'overloaded' | 'no-model';

/** Starts an answer. @returns `known` if the message already has an answer or a running job. */
export async function beginInlineAnswer(
  services: BotServices,
  inlineUser: InlineUser,
  { inlineMessageId, content, attachments, showsQuestion }: InlineQuestion,
): Promise<InlineOutcome> {
  const { user } = inlineUser;
  const { catalogue, conversations, jobs } = services;
  const model = findAnsweringModel(catalogue, user)?.entry;
  if (!model) return 'no-model';
  if (jobs.list(inlineKind).length >= inlineKind.maxJobs) return 'overloaded';
  const begun = await conversations.beginInlineAnswer({
    inlineMessageId,
    content,
    attachments,
    showsQuestion,
    chatTopic: toPrivateTopic(user),
    userId: user.id,
    model: model.id,
    title: toFirstWords(content),
  });
  if (!begun) return 'known';
  const outcome = await start(services, inlineUser, begun);
  if (outcome === 'overloaded') await conversations.deleteConversation(begun.question.conversationId);
  return outcome;
}

/** Generates a failed answer again. */
export async function retryInlineAnswer(
  services: BotServices,
  inlineUser: InlineUser,
  answerId: number,
): Promise<InlineOutcome> {
  const { conversations } = services;
  const inlineAnswer = await conversations.findInlineAnswer(answerId);
  const isAuthor = inlineAnswer?.question.userId === inlineUser.user.id;
  if (!inlineAnswer || !isAuthor || inlineAnswer.answer.finishReason === undefined) return 'known';
  return start(services, inlineUser, inlineAnswer, { reopen: () => conversations.reopenMessage(answerId) });
}

/** @returns whether an answer was running. */
export function stopInlineAnswer({ jobs }: BotServices, user: User, answerId: number): Promise<boolean> {
  return jobs.stopOne(inlineKind, answerId, toPrivateTopic(user), user.id);
}

interface StartOptions {
  /** Answer that was generated already and is only shown. */
  readonly generated?: GeneratedAnswer;
  readonly reopen?: () => Promise<void>;
}

async function start(
  services: BotServices,
  { user, texts }: InlineUser,
  inlineAnswer: InlineAnswer,
  { generated, reopen }: StartOptions = {},
): Promise<'begun' | 'known' | 'overloaded'> {
  const { inlineMessageId: key, chatTopic, answer } = inlineAnswer;
  const place = { key, id: answer.id, userId: user.id, chatTopic };
  const outcome = await services.jobs.recordAndStart(inlineKind, place, async () => {
    await reopen?.();
    return (job) => write(services, { user, texts, ...inlineAnswer }, generated, job);
  });
  if (outcome === 'started') return 'begun';
  return outcome === 'running' ? 'known' : 'overloaded';
}

/** Returns the private chat, where the conversation can be continued. */
function toPrivateTopic({ telegramId = 0 }: User): ChatTopic {
  return { chatId: telegramId, topicId: undefined };
}

const MAX_RESUMPTIONS = 3;
/** Maximum age of a question whose answer is generated again after a restart. */
const RESUME_WITHIN_MS = 3_600_000;

/** Resumes the answers of a user that a crash has interrupted. Never throws. */
async function resumeInlineAnswers(services: BotServices, chatId: number): Promise<void> {
  try {
    for (const unfinished of await services.conversations.listUnfinishedInline(chatId))
      await resume(services, unfinished);
  } catch (error) {
    services.logger.warn({ err: error, chatId }, 'interrupted inline answers could not be resumed');
  }
}

/** Shows an answer that was already generated; otherwise generates it again, unless it is too old. */
async function resume(services: BotServices, unfinished: InlineAnswer): Promise<void> {
  const { question, answer, createdAt, resumptions } = unfinished;
  const user = question.userId === undefined ? undefined : await services.accounts.findUser(question.userId);
  if (!user) return services.conversations.settleMessage(answer.id);
  const inlineUser = { user, texts: locales[findLocale(user.settings.language)] };
  const isLate = services.clock.now() - createdAt.getTime() > RESUME_WITHIN_MS || resumptions >= MAX_RESUMPTIONS;
  if (answer.finishReason === undefined && !isLate) {
    await services.conversations.countResumption(answer.id);
    await start(services, inlineUser, unfinished);
    return;
  }
  const { content: text, extras, finishReason = 'interrupted' } = answer;
  const hasFailed = finishReason === 'interrupted' || finishReason === 'error';
  const failure = hasFailed ? ({ kind: 'interrupted' } as const) : undefined;
  await start(services, inlineUser, unfinished, { generated: { text, extras, finishReason, failure } });
}

type WritingJob = InlineAnswer & InlineUser;

const BUTTONS_TTL_MS = 86_400_000;

/** Never throws. @param earlier answer of an earlier generation. */
async function write(
  services: BotServices,
  job: WritingJob,
  earlier: GeneratedAnswer | undefined,
  { stopSignal, deliverySignal, takeoverSignal }: Job,
): Promise<'settled' | 'unfinished'> {
  const { conversations } = services;
  const { answer, question, user, texts, inlineMessageId, showsQuestion } = job;
  try {
    const model = findAnsweringModel(services.catalogue, user)?.entry;
    const undeliverable = new AbortController();
    const stopButton = { text: texts.buttons.stop, action: { kind: 'stop-inline', answerId: answer.id } } as const;
    const reply = createInlineReply(services, {
      inlineMessageId,
      preface: showsQuestion ? { quote: { text: toShownQuestion(question.content), isFolded: false } } : undefined,
      keyboard: await storeKeyboard(services, toTarget(job), [[stopButton]], BUTTONS_TTL_MS),
      onUndeliverable: () => undeliverable.abort(new WorkStoppedError('chat')),
      signal: deliverySignal,
    });
    if (!earlier) reply.update('', texts.answers.thinking);
    const generated =
      earlier ??
      (await generate(services, job, model, AbortSignal.any([stopSignal, undeliverable.signal]), (text, status) =>
        reply.update(text, status ?? (text === '' ? texts.answers.thinking : undefined)),
      ));
    if (takeoverSignal.aborted) return 'settled';
    // The next process generates it again.
    if (generated.finishReason === 'interrupted' && !earlier) return 'unfinished';
    const { text: content, finishReason, extras, failure } = generated;
    await conversations.finishMessage(answer.id, { content, finishReason, extras });
    const sources = content === '' ? '' : toSourceList(extras.sources ?? [], texts.answers.sources);
    const outcome = await reply.finish(content + sources, {
      toHint: (isCut) => toHint(job, generated, isCut),
      keyboard: await toLastKeyboard(services, job, failure),
    });
    if (takeoverSignal.aborted) return 'settled';
    if (outcome === 'unfinished') return 'unfinished';
    if (outcome === 'given-up') services.logger.info({ answerId: answer.id }, 'an inline answer was not delivered');
    await conversations.settleMessage(answer.id);
  } catch (error) {
    if (!takeoverSignal.aborted)
      services.logger.error({ err: error, answerId: answer.id }, 'an inline answer could not be written');
  }
  return 'settled';
}

const LENGTH_INSTRUCTION =
  'Your answer is shown as a single short message in a chat with other users: keep it under 2500 characters.';

async function generate(
  services: BotServices,
  { user, texts, chatTopic, question, answer }: WritingJob,
  model: ModelEntry | undefined,
  signal: AbortSignal,
  onText: (text: string, status: string | undefined) => void,
): Promise<GeneratedAnswer> {
  if (!model) return { text: '', finishReason: 'error', failure: { kind: 'internal' }, extras: {} };
  const request: GenerationRequest = {
    ...{
      answerId: answer.id,
      userId: user.id,
      chatTopic,
      group: undefined,
      question,
      model,
      texts,
      prefix: '',
      prefixExtras: {},
      showsReasoning: false,
      // Other users see the message, and the bot can't send a separate request for permission there.
      canAsk: false,
    },
    hint: LENGTH_INSTRUCTION,
    // Generated images would be sent to the private chat.
    listTools: () => (user.settings.hasTools === false ? [] : services.toolbox.list()),
    replyToMessageId: undefined,
  };
  return generateAnswer(services, request, signal, ({ text, status }) => onText(text, status));
}

/** Returns the note below an answer: a failure, that it is cut, or that it was stopped. */
function toHint(
  { texts, answer }: WritingJob,
  { failure, finishReason }: GeneratedAnswer,
  isCut: boolean,
): string | undefined {
  if (failure) return describeFailure(texts, failure, answer.model ?? '');
  if (isCut) return inlineTexts[texts.locale].cut;
  return finishReason === 'stopped' ? texts.answers.stopped : undefined;
}

/** Returns the link to continue in the private chat, and Retry after a failure. */
async function toLastKeyboard(
  services: BotServices,
  job: WritingJob,
  failure: Failure | undefined,
): Promise<InlineKeyboardMarkup> {
  const { texts, question, answer } = job;
  const url = toStartLink(services, { username: await services.findUsername() }, 'continued', question.conversationId);
  const row: KeyboardButton[] = [{ text: inlineTexts[texts.locale].continueHere, url }];
  if (failure && listRemedies(failure).retry) {
    row.unshift({ text: texts.buttons.retry, action: { kind: 'retry-inline', answerId: answer.id } });
  }
  return storeKeyboard(services, toTarget(job), [row], BUTTONS_TTL_MS);
}

function toTarget({ user, inlineMessageId }: WritingJob): ButtonTarget {
  return { userId: user.id, chatId: undefined, inlineMessageId };
}

/** Maximum number of characters of the question above its answer. */
const MAX_SHOWN_QUESTION = 300;

/** Returns the question as shown above its answer. */
export function toShownQuestion(question: string): string {
  return shorten(question.trim(), MAX_SHOWN_QUESTION);
}
