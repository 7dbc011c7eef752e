import type { InlineKeyboardMarkup } from 'grammy/types';
import { z } from 'zod';
import type { ModelEntry } from '../../core/models/index.ts';
import { findSeeingModel, shortenMiddle } from '../choices/model-choice.ts';
import { findTimeZone } from '../choices/time-zones.ts';
import type { CallbackAction } from '../kit/actions.ts';
import { describeDetails, describeFailure, type Failure, listRemedies, needsVision } from '../kit/failure.ts';
import type { AnsweredQuestion } from '../kit/feature.ts';
import { type ActionButton, storeKeyboard } from '../kit/keyboards.ts';
import type { BotServices } from '../kit/services.ts';
import { findFirst } from './extensions.ts';
import { sendAboutAnswer } from './send-about-answer.ts';

/** Failed answer to retry. Stored as JSON in callback actions: fields that are added later must be optional. */
export const retry = z.object({
  /** Message id of the question. */
  questionId: z.number(),
  /** Message id of the failed answer. */
  failedId: z.number(),
  /** Telegram messages of the failed attempt. They are removed when the new answer shows. */
  shownIds: z.array(z.number()),
  /** Telegram message that the new answer replies to. */
  replyTo: z.number().optional(),
});

export type Retry = z.infer<typeof retry>;

/** Facts about an answer that its failure message needs. */
export interface FailedAnswer extends AnsweredQuestion {
  readonly model: Pick<ModelEntry, 'id'>;
  /** Existing answer that keeps its messages and buttons: this attempt was to replace or to continue it. */
  readonly shownAnswerId?: number | undefined;
}

/**
 * Sends the user a failure message with buttons for the remedies, and retries while Telegram is not reachable: a
 * network outage often affects both the provider and Telegram. Never throws.
 * @param shownIds the Telegram messages that show the partial answer.
 * @returns false if the signal aborted it and another process has to send the message.
 */
export async function showFailure(
  services: BotServices,
  job: FailedAnswer,
  failure: Failure,
  shownIds: readonly number[],
  signal: AbortSignal,
): Promise<boolean> {
  const { question, answerId, replyTo } = job;
  const retry: Retry = { questionId: question.id, failedId: answerId, shownIds: [...shownIds], replyTo };
  const createView = async () => ({
    text: [await describeFailed(services, job, failure), ...describeForAdmin(services, job, failure)].join('\n\n'),
    keyboard: await toRemedyKeyboard(services, job, failure, retry),
  });
  return sendAboutAnswer(services, job, createView, signal);
}

/** Returns the words of the providers, in the private chat of an admin only. */
function describeForAdmin(
  { administration }: BotServices,
  { chatTopic, texts }: FailedAnswer,
  failure: Failure,
): string[] {
  // The id of a private chat is that of its user.
  const details = administration.adminIds.includes(chatTopic.chatId) ? describeDetails(texts, failure) : undefined;
  return details === undefined ? [] : [details];
}

/** Returns the text about a failure. */
export async function describeFailed(
  services: BotServices,
  job: Pick<FailedAnswer, 'texts' | 'model' | 'userId'>,
  failure: Failure,
): Promise<string> {
  return describeFailure(job.texts, failure, job.model.id, await findUserTimeZone(services, job, failure));
}

/** Returns the user's time zone if the text of the failure needs it. */
async function findUserTimeZone({ accounts }: BotServices, { userId }: Pick<FailedAnswer, 'userId'>, failure: Failure) {
  const user = failure.kind === 'budgetReached' ? await accounts.findUser(userId) : undefined;
  return user && findTimeZone(user.settings).timeZone;
}

function toSelection(model: string, retry: Retry): CallbackAction {
  return { kind: 'select-model', model, retry };
}

/** Characters that fit on a button of a phone's full width. */
const MAX_NAME = 28;

async function toRemedyKeyboard(
  services: BotServices,
  job: FailedAnswer,
  failure: Failure,
  retry: Retry,
): Promise<InlineKeyboardMarkup> {
  const { buttons } = job.texts;
  const remedies = listRemedies(failure);
  const row: ActionButton[] = [];
  const { shownAnswerId, answerId, question, model } = job;
  const { chatId } = job.chatTopic;
  if (shownAnswerId !== undefined) {
    const again: CallbackAction =
      shownAnswerId === answerId
        ? { kind: 'retry-continuation', answerId }
        : { kind: 'retry-variant', answerId: shownAnswerId, questionId: question.id, model: model.id };
    const userId = question.userId ?? job.userId;
    return storeKeyboard(services, { userId, chatId }, [
      remedies.retry ? [{ text: buttons.retry, action: again }] : [],
    ]);
  }
  const ofFeature = findFirst(services.listAnswerExtensions(), ({ failureButtons }) => failureButtons?.(job));
  if (ofFeature?.isAll) return storeKeyboard(services, { userId: job.userId, chatId }, [ofFeature.row]);
  if (remedies.retry) row.push({ text: buttons.retry, action: { kind: 'retry', retry } });
  if (remedies.otherModel) row.push({ text: buttons.otherModel, action: { kind: 'list-models', page: 0, retry } });
  if (remedies.newConversation) row.push({ text: buttons.newConversation, action: { kind: 'new-conversation' } });
  const seeing = needsVision(failure) ? findSeeingModel(services.catalogue, job.model.id) : undefined;
  return storeKeyboard(services, { userId: job.userId, chatId }, [
    seeing
      ? [{ text: job.texts.inputs.askModel(shortenMiddle(seeing, MAX_NAME)), action: toSelection(seeing, retry) }]
      : [],
    row,
    ofFeature?.row ?? [],
  ]);
}
