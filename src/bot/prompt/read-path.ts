import { isReminder, type StoredMessage } from '../../core/conversations/index.ts';
import { toLocalTime } from '../../core/tasks/index.ts';
import { toQuote } from '../inputs/foreign-text.ts';
import type { BotServices } from '../kit/services.ts';
import type { AnswerRequest } from './answer-request.ts';
import { breakOffText } from './join-continuation.ts';
import { type PromptMessage, toPromptMessage } from './prompt-message.ts';

/**
 * Reads the messages from the root to a question, oldest first, with the reminders that were sent meanwhile, and the
 * beginning of an answer to continue. Reminders are beside the tree; conversations of earlier versions have them in the
 * path, as a question with an answer.
 */
export async function readPath(
  { conversations }: BotServices,
  { question: asked, answerId, prefix, prefixExtras }: AnswerRequest,
): Promise<{ readonly path: readonly PromptMessage[]; readonly question: StoredMessage }> {
  const { repliedReminderId } = asked.extras;
  const [stored, reminders] = await Promise.all([
    conversations.listPath(asked.id),
    conversations.listReminders(asked, repliedReminderId === undefined ? [] : [repliedReminderId]),
  ]);
  // The question may have changed while it was queued.
  const question = stored.at(-1) ?? asked;
  const formerIds = new Set<number | undefined>(stored.filter(isReminder).map(({ id }) => id));
  const turns = stored.slice(0, -1).filter(({ id, parentId }) => !formerIds.has(id) && !formerIds.has(parentId));
  const toTurn = (message: StoredMessage) => toPromptMessage(message, { notes: toReplyNotes(message, reminders) });
  const before = [...turns.map(toTurn), ...reminders.map(toReminder)];
  const path = [...before.toSorted((one, other) => one.stored.id - other.stored.id), toTurn(question)];
  if (prefix === '') return { path, question };
  const content = breakOffText(prefix).known;
  const own = { id: answerId, parentId: question.id, content, attachments: [], extras: prefixExtras };
  return { path: [...path, toPromptMessage({ ...question, ...own, role: 'assistant' })], question };
}

/** Says of a reminder what it is. */
function toReminder(stored: StoredMessage): PromptMessage {
  const { taskRun } = stored.extras;
  const due = taskRun ? `, due ${toLocalTime(Date.parse(taskRun.dueAt), taskRun.timeZone).replace('T', ' ')}` : '';
  const mark = `[reminder scheduled earlier, which you have sent before the message below${due}]`;
  return toPromptMessage(stored, { isReminder: true, text: `${mark}\n${toQuote(stored.content)}` });
}

/** Returns the reminder that a message replies to, as a note. */
function toReplyNotes({ extras }: StoredMessage, reminders: readonly StoredMessage[]): readonly string[] {
  const reminder = reminders.find(({ id }) => id === extras.repliedReminderId);
  return reminder ? [`[in reply to the reminder]\n${toQuote(reminder.content)}`] : [];
}

/** Puts reminders before the text of the next question: hosts may refuse two messages of one role in a row. */
export function joinReminders(messages: readonly PromptMessage[]): readonly PromptMessage[] {
  const joined: PromptMessage[] = [];
  let reminders: readonly string[] = [];
  for (const message of messages) {
    if (message.isReminder) reminders = [...reminders, message.text];
    else if (message.stored.role === 'assistant') joined.push(message);
    else {
      joined.push({ ...message, notes: [...reminders, ...message.notes] });
      reminders = [];
    }
  }
  return joined;
}
