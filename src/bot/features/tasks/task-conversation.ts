import type { ConversationDetails } from '../../../core/conversations/index.ts';
import type { DueRun } from '../../../core/tasks/index.ts';
import type { AnswerContext } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';

/** A conversation without messages for this time is left for the one of a task, so that users can just answer to it. */
const IDLE_MS = 30 * 60_000;
/** Runs among which the newest conversation of a task is looked for. */
const LOOKED_AT = 10;

/**
 * Returns the conversation in which a run takes place: in topics and for reminders the current one. Elsewhere a task has
 * a conversation of its own, in which the model knows the earlier runs; it becomes the current one unless the user is
 * talking in another.
 */
export async function findTaskConversation(
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
  const latest = await conversations.findListedConversation(id);
  return latest !== undefined && clock.now() - latest.lastMessageAt.getTime() < IDLE_MS;
}

async function findDetails({ conversations }: BotServices, id: number): Promise<ConversationDetails> {
  const found = await conversations.findConversation(id);
  if (!found) throw new Error('the conversation of a task was deleted');
  return found;
}
