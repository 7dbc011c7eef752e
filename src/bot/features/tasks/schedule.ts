import type { User } from '../../../core/accounts/index.ts';
import type { ChatTopic } from '../../../core/conversations/index.ts';
import type { NewTask, Task, TaskOwner, TaskRefusal } from '../../../core/tasks/index.ts';
import type { Answer } from '../../answers/answer.ts';
import { storeGuess, type UsedTimeZone } from '../../choices/time-zones.ts';
import { isGroup, toChatTopic, toOwnerOfAnswer } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { type ActionButton, storeKeyboard } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import type { View } from '../../kit/views.ts';
import type { Locale } from '../../texts/locales.ts';
import { texts } from './texts.ts';
import { describeTask, formatNow } from './views.ts';

const MINUTE_MS = 60_000;

/** Chat and user of a new task. */
interface TaskPlace {
  readonly user: Pick<User, 'id' | 'settings'>;
  readonly chatTopic: ChatTopic;
  readonly isGroup: boolean;
  readonly locale: Locale;
  /** Language of the user's app as an IETF tag, if known. */
  readonly language: string | undefined;
}

/** Two tasks with the same text and less time between their next runs are the same one, scheduled twice. */
const SAME_WITHIN_MS = 2 * MINUTE_MS;
/** Own tasks that are compared with a new one. */
const COMPARED = 100;

/**
 * Stores a task of a user for a chat and topic. A model that writes its answer again schedules its task again: an equal
 * one is not stored twice.
 */
export async function scheduleTask(
  services: BotServices,
  place: TaskPlace,
  content: Omit<NewTask, 'topicId' | 'language'>,
): Promise<{ readonly task: Task; readonly isNew: boolean } | TaskRefusal> {
  const { tasks } = services;
  const { user, chatTopic, language } = place;
  const owner: TaskOwner = { userId: user.id, ...toOwnerOfAnswer(place) };
  await storeGuess(services, place.user, language);
  const made = await tasks.create(owner, { ...content, topicId: chatTopic.topicId, language });
  if (!('id' in made)) return made;
  const { tasks: others } = await tasks.list(owner, { offset: 0, limit: COMPARED });
  const same = others.find((other) => other.id < made.id && isSame(other, made));
  if (!same) return { task: made, isNew: true };
  await tasks.remove(owner, made.id);
  return { task: same, isNew: false };
}

function isSame(one: Task, other: Task): boolean {
  if (one.state.kind !== 'active' || other.state.kind !== 'active') return false;
  const isAtSameTime = Math.abs(one.state.nextDueAt.getTime() - other.state.nextDueAt.getTime()) < SAME_WITHIN_MS;
  return one.prompt === other.prompt && one.kind === other.kind && one.times.kind === other.times.kind && isAtSameTime;
}

/** Returns the message that confirms a new task. It asks whether a guessed time zone is right. */
export async function toScheduledView(
  services: BotServices,
  { user, chatTopic, locale }: TaskPlace,
  task: Task,
  { timeZone, isGuessed }: UsedTimeZone,
): Promise<View> {
  const words = texts[locale];
  const taskId = task.id;
  const rows: readonly (readonly ActionButton[])[] = [
    ...(isGuessed
      ? ([
          [{ text: words.buttons.rightZone(timeZone), action: { kind: 'select-task-time-zone', taskId, timeZone } }],
          [{ text: words.buttons.otherZone, action: { kind: 'list-task-time-zones', taskId } }],
        ] as const)
      : []),
    [{ text: words.buttons.toTask, action: { kind: 'show-task', taskId } }],
  ];
  const keyboard = await storeKeyboard(services, { userId: user.id, chatId: chatTopic.chatId }, rows);
  const question = words.guessedZone(timeZone, formatNow(locale, services.clock.now(), { timeZone }));
  const description = describeTask(services, locale, task, isGuessed ? { news: question } : {});
  const heading = `${words.scheduled(task.kind)}\n`;
  const entities = description.entities?.map((entity) => ({ ...entity, offset: entity.offset + heading.length })) ?? [];
  return { text: heading + description.text, entities, keyboard };
}

/** Returns the place of tasks that an answer schedules. */
export function toTaskPlace({ context }: Pick<Answer, 'context'>): TaskPlace {
  const { user, chatTopic, isGroup: isInGroup, texts, language } = context;
  return { user, chatTopic, isGroup: isInGroup, locale: texts.locale, language };
}

/** Returns the place of tasks that a user schedules by a command; undefined if there is no message. */
export function findTaskPlace({ user, msg, locale, from }: BotContext): TaskPlace | undefined {
  if (!msg) return undefined;
  const language = from?.language_code;
  return { user, chatTopic: toChatTopic(msg), isGroup: isGroup(msg.chat), locale, language };
}

/** Returns why a task can't be stored, for users. */
export function describeRefusal(locale: Locale, refusal: TaskRefusal): string {
  const { problems, textTooLong } = texts[locale];
  switch (refusal.kind) {
    case 'past':
    case 'never':
      return problems.past;
    case 'too-far':
      return problems.tooFar;
    case 'too-often':
      return problems.tooOften(toMinutes(refusal.shortestIntervalMs));
    case 'too-many':
      return refusal.limit === 0 ? problems.noneAllowed : problems.tooMany(refusal.limit);
    case 'invalid-prompt':
      return textTooLong(refusal.maxLength);
    case 'invalid-times':
      return problems.badRule;
  }
}

/** Returns why a task can't be stored, for models: what to change. */
export function describeRefusalForModel(refusal: TaskRefusal): string {
  switch (refusal.kind) {
    case 'past':
      return 'this time is in the past; choose a later one';
    case 'never':
      return 'the rule has no time in the future; change rrule or at';
    case 'too-far':
      return 'this time is more than five years ahead';
    case 'too-often':
      return `this repeats too often; the shortest interval is ${toMinutes(refusal.shortestIntervalMs)} minutes`;
    case 'too-many':
      return `the user has ${refusal.limit} tasks, which is the limit; one has to be cancelled first`;
    case 'invalid-prompt':
      return `the text is missing or longer than ${refusal.maxLength} characters`;
    case 'invalid-times':
      return refusal.detail;
  }
}

function toMinutes(ms: number): number {
  return Math.ceil(ms / 60_000);
}
