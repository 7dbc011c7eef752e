import type { ChatMember } from 'grammy/types';
import type { User } from '../../../core/accounts/index.ts';
import {
  type ConversationDetails,
  type StoredMessage,
  TaskRunStartedError,
} from '../../../core/conversations/index.ts';
import { findPayingPlan, type Group } from '../../../core/groups/index.ts';
import type { DueRun, TaskRunOutcome, TaskRunReason } from '../../../core/tasks/index.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { asInGroup, findGroup } from '../../choices/groups.ts';
import { findAnsweringModel, NO_MODEL } from '../../choices/model-choice.ts';
import type { AnswerContext } from '../../kit/feature.ts';
import { toFullName } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { findLocale, locales } from '../../texts/locales.ts';
import { toReminder } from './run-answers.ts';
import { sendTaskNotice } from './task-notice.ts';
import { toTaskName } from './views.ts';

/** Starts runs of tasks in the process that owns their chat. */
export type TaskRunner = ReturnType<typeof createTaskRunner>;

export function createTaskRunner(services: BotServices) {
  const { logger, taskLedger } = services;

  const start = async (due: DueRun) => {
    const context = await findTaskContext(services, due);
    if (typeof context === 'string') {
      await taskLedger.endRun(due.run.id, toMissed(context));
      logger.info({ runId: due.run.id, taskId: due.task.id, reason: context }, 'a run of a task was not started');
      return;
    }
    const conversation = await findTaskConversation(services, due, context);
    const answering = { ...context, model: findModel(services, conversation) ?? context.model };
    const isReminder = due.task.kind === 'reminder';
    const outcome = await services.answers.answerTask(answering, { isReminder }, async () => {
      const question = await storeQuestion(services, due, context, conversation);
      return question && { question, written: isReminder ? toReminder(question) : undefined };
    });
    if (outcome !== 'accepted') logger.info({ runId: due.run.id, outcome }, 'a run of a task waits for other answers');
  };

  return {
    /** Starts a run or tells the user about it. Has no effect if that has happened already. Never throws. */
    async run(runId: number): Promise<void> {
      try {
        const due = await taskLedger.findRun(runId);
        if (!due) return;
        if (due.run.notice !== undefined) return await sendTaskNotice(services, due);
        if (due.run.state === 'claimed' || due.run.state === 'started') await start(due);
      } catch (error) {
        logger.warn({ err: error, runId }, 'a run of a task could not be started; retrying');
      }
    },
  };
}

function toMissed(reason: Exclude<TaskRunReason, 'stopped'>): TaskRunOutcome {
  return reason === 'quota' ? { state: 'skipped', reason } : { state: 'failed', reason };
}

function findModel(
  { catalogue }: BotServices,
  { model }: Pick<ConversationDetails, 'model'>,
): AnswerContext['model'] | undefined {
  const entry = model === undefined ? undefined : catalogue.find(model);
  return entry?.type === 'chat' ? entry : undefined;
}

/** A run that begins so much later than it was due says so. */
const LATE_MS = 5 * 60_000;

/** Stores the question of a run, which starts the run; returns the stored one after a crash. */
async function storeQuestion(
  services: BotServices,
  { run, task }: DueRun,
  { user }: AnswerContext,
  { id: conversationId }: ConversationDetails,
): Promise<StoredMessage | undefined> {
  const { clock, conversations } = services;
  if (run.questionId !== undefined) return conversations.findMessage(run.questionId);
  const taskRun = {
    runId: run.id,
    taskId: task.id,
    kind: task.kind,
    name: toTaskName(task),
    dueAt: run.dueAt.toISOString(),
    timeZone: task.times.timeZone,
    missedCount: run.missedCount,
    isLate: !run.isManual && clock.now() - run.dueAt.getTime() > LATE_MS,
    isManual: run.isManual,
    // The user waits for the result of a run started by hand.
    isQuiet: task.quietWhenNothingNew && !run.isManual,
  };
  const parent = await conversations.findLatestMessage(conversationId);
  try {
    return await conversations.addMessage({
      conversationId,
      parentId: parent?.id,
      role: 'user',
      content: task.prompt,
      userId: user.id,
      // A reminder continues nothing: the conversation goes on from the answer before it, which may still be written.
      isAside: task.kind === 'reminder',
      extras: { taskRun, ...(task.hasForeignText && { hasForeignText: true }) },
      taskRunId: run.id,
    });
  } catch (error) {
    if (error instanceof TaskRunStartedError) return undefined;
    throw error;
  }
}

/**
 * Returns the context of a run: its user as in a question asked now. Rights may have changed since the task was made.
 * @returns why the run can't take place.
 * @throws errors of Telegram after which a later attempt may succeed.
 */
async function findTaskContext(
  services: BotServices,
  { task, chatId }: DueRun,
): Promise<AnswerContext | Exclude<TaskRunReason, 'stopped'>> {
  const account = await services.accounts.findUser(task.owner.userId);
  const telegramId = account?.telegramId;
  if (!account || telegramId === undefined) return 'not-allowed';
  if ((await services.administration.admit(telegramId)) !== 'welcome') return 'not-allowed';
  const chatTopic = { chatId, topicId: task.topicId };
  const isGroup = task.owner.groupId !== undefined;
  if (!isGroup && !account.isReachable) return 'unreachable';
  const group = await findGroup(services, chatTopic);
  if (group?.settings.hasTasks === false) return 'not-allowed';
  const member = isGroup ? await findMember(services, chatId, telegramId) : undefined;
  if (member === 'unreachable' || member === 'not-allowed') return member;
  const user = asInGroup(account, group);
  if (task.kind === 'question' && !(await hasQuota(services, user, group))) return 'quota';
  const model =
    findAnsweringModel(services.catalogue, user)?.entry ?? (task.kind === 'reminder' ? NO_MODEL : undefined);
  if (!model) return 'no-model';
  return {
    user,
    texts: locales[findLocale(user.settings.language ?? task.language)],
    language: task.language,
    chatTopic,
    isGroup,
    group,
    userName: member && toFullName(member.user),
    typingTopicId: task.topicId,
    model,
  };
}

async function findMember(
  { client }: BotServices,
  chatId: number,
  telegramId: number,
): Promise<ChatMember | 'unreachable' | 'not-allowed'> {
  try {
    const member = await client.api.getChatMember(chatId, telegramId);
    const isGone = member.status === 'left' || member.status === 'kicked';
    return isGone || (member.status === 'restricted' && !member.is_member) ? 'not-allowed' : member;
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    if (kind === 'blocked') return 'unreachable';
    if (kind === 'rejected') return 'not-allowed';
    throw error;
  }
}

/** Returns whether something is left of the user's limits and budgets; unknown limits of a paying group count as left. */
async function hasQuota({ limits }: BotServices, user: User, group: Group | undefined): Promise<boolean> {
  if (group && findPayingPlan(group, limits.planNames) !== undefined) return true;
  const quotas = await limits.readQuotas({ userId: user.id, plan: user.plan });
  return [quotas?.tokens, quotas?.dollars].every((quota) => quota === undefined || quota.remaining > 0);
}

/** A conversation without messages other than reminders for this time is left for the one of a task, so that users can just answer to it. */
const IDLE_MS = 30 * 60_000;
/** Runs among which the newest conversation of a task is looked for. */
const LOOKED_AT = 10;

/**
 * Returns the conversation in which a run takes place: in topics and for reminders the current one. Elsewhere a task has
 * a conversation of its own, in which the model knows the earlier runs; it becomes the current one unless the user is
 * talking in another.
 */
async function findTaskConversation(
  services: BotServices,
  { task }: DueRun,
  { chatTopic, user }: Pick<AnswerContext, 'chatTopic' | 'user'>,
): Promise<ConversationDetails> {
  const { conversations } = services;
  const current = await conversations.findCurrentConversation(chatTopic);
  const isShared = task.kind === 'reminder' || chatTopic.topicId !== undefined;
  if (isShared)
    return current ?? findDetails(services, (await conversations.currentConversation(chatTopic, user.id)).id);
  const earlier = await findEarlier(services, task);
  const isHere = earlier?.chatTopic.chatId === chatTopic.chatId && earlier.chatTopic.topicId === undefined;
  const own = isHere ? earlier : undefined;
  if (own?.isCurrent) return own;
  const isTalking = current !== undefined && (await isInUse(services, current));
  const id = own?.id ?? (await conversations.startConversation(chatTopic, user.id)).id;
  const wanted = isTalking ? current.id : id;
  // A new conversation is the current one already.
  if (own ? !isTalking : isTalking) await conversations.continueConversation(wanted, chatTopic);
  return findDetails(services, id);
}

async function findEarlier({ conversations, tasks }: BotServices, { id, owner }: DueRun['task']) {
  const { runs } = await tasks.listRuns(owner, id, { offset: 0, limit: LOOKED_AT });
  const questionId = runs.find((run) => run.questionId !== undefined)?.questionId;
  const question = questionId === undefined ? undefined : await conversations.findMessage(questionId);
  return question && conversations.findConversation(question.conversationId);
}

async function isInUse({ clock, conversations }: BotServices, { id }: ConversationDetails): Promise<boolean> {
  const lastTalk = await conversations.findLastTalk(id);
  return lastTalk !== undefined && clock.now() - lastTalk.getTime() < IDLE_MS;
}

async function findDetails({ conversations }: BotServices, id: number): Promise<ConversationDetails> {
  const found = await conversations.findConversation(id);
  if (!found) throw new Error('the conversation of a task was deleted');
  return found;
}
