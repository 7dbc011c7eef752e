import { isReminder, type StoredMessage } from '../../core/conversations/index.ts';
import type { Content } from '../../core/models/index.ts';
import { toLocalTime } from '../../core/tasks/index.ts';
import { toQuote } from '../inputs/foreign-text.ts';
import type { BotServices } from '../kit/services.ts';

/** Messages from the root to a question, oldest first, and between them the reminders that were sent meanwhile. */
interface RemindedPath {
  readonly fullPath: readonly StoredMessage[];
  readonly reminderIds: ReadonlySet<number | undefined>;
}

/**
 * Reads the path of a question and the reminders before it, which are beside the tree. Conversations of earlier versions
 * have them in the path, as a question with an answer.
 */
export async function readRemindedPath(
  { conversations }: BotServices,
  { id, conversationId, extras: { repliedReminderId } }: StoredMessage,
): Promise<RemindedPath> {
  const repliedIds = repliedReminderId === undefined ? [] : [repliedReminderId];
  const [path, reminders] = await Promise.all([
    conversations.listPath(id),
    conversations.listReminders({ id, conversationId }, repliedIds),
  ]);
  const question = path.at(-1);
  if (!question) return { fullPath: [], reminderIds: new Set() };
  const formerIds = new Set<number | undefined>(path.filter(isReminder).map((reminder) => reminder.id));
  const turns = path.slice(0, -1).filter((turn) => !formerIds.has(turn.id) && !formerIds.has(turn.parentId));
  const before = [...turns, ...reminders].toSorted((one, other) => one.id - other.id);
  return { fullPath: [...before, question], reminderIds: new Set(reminders.map((reminder) => reminder.id)) };
}

/** Says of reminders what they are. */
export function markReminders(
  path: readonly StoredMessage[],
  { reminderIds }: Pick<RemindedPath, 'reminderIds'>,
): readonly StoredMessage[] {
  return path.map((message) =>
    reminderIds.has(message.id)
      ? { ...message, content: `${toSentMark(message)}\n${toQuote(message.content)}` }
      : message,
  );
}

/** Returns by message id the reminders that messages reply to. */
export function toReplyMarks(path: readonly StoredMessage[]): ReadonlyMap<number | undefined, readonly string[]> {
  return new Map(
    path.flatMap(({ id, extras: { repliedReminderId } }) => {
      const reminder = path.find((one) => one.id === repliedReminderId);
      return reminder ? [[id, [`[in reply to the reminder]\n${toQuote(reminder.content)}`]] as const] : [];
    }),
  );
}

function toSentMark({ extras: { taskRun } }: StoredMessage): string {
  const due = taskRun ? `, due ${toLocalTime(Date.parse(taskRun.dueAt), taskRun.timeZone).replace('T', ' ')}` : '';
  return `[reminder scheduled earlier, which you have sent before the message below${due}]`;
}

/** Puts reminders before the text of the next message: hosts may refuse two messages of one role in a row. */
export function withReminders(reminders: readonly string[], content: Content): Content {
  if (typeof content === 'string') return [...reminders, content].filter(Boolean).join('\n\n');
  return [...reminders.map((text) => ({ type: 'text', text }) as const), ...content];
}
