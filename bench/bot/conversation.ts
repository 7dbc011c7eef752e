import { setTimeout as sleep } from 'node:timers/promises';
import type { Control, ControlEvent } from 'telegram-bot-simulator';
import type { ScriptedAnswer, Writing } from './scripted-provider.ts';

/** Question of a user, and everything visible of its answer. */
export interface Conversation {
  readonly chatId: number;
  readonly answer: ScriptedAnswer;
  /** Time of the question, in milliseconds of `performance.now()`. */
  readonly askedAt: number;
  /** Visible text of the bot over time, drafts included; one entry per change. */
  readonly views: readonly View[];
  /** Returns the time since which the chat has contained exactly one complete answer; undefined if it does not. */
  rightSince(): number | undefined;
  /** Resolves when the chat is right, or with undefined after `timeoutMs`. It may still change afterwards. */
  untilRight(timeoutMs: number): Promise<number | undefined>;
  /** Stops watching. */
  leave(): void;
}

interface View {
  readonly at: number;
  readonly text: string;
}

const LOOK_EVERY_MS = 20;

/** Creates a user, sends the question, and watches the chat. */
export function openConversation(control: Control, answer: ScriptedAnswer): Conversation {
  const { id: chatId } = control.createChat({ type: 'private', person: { firstName: 'Ann' } });
  const messages = new Map<number, string>();
  let draft = '';
  const views: View[] = [];
  const unsubscribe = control.subscribe((event) => {
    if (!isOfChat(event, chatId)) return;
    if (event.type === 'message' || event.type === 'message-changed') {
      const { message } = event.message;
      if (message.from?.is_bot) messages.set(message.message_id, message.text ?? '');
    } else if (event.type === 'messages-deleted') for (const id of event.messageIds) messages.delete(id);
    else if (event.type === 'draft') draft = event.draft.text;
    else if (event.type === 'draft-ended') draft = '';
    const text = [...messages.values()].join('') + draft;
    if (text !== views.at(-1)?.text) views.push({ at: performance.now(), text });
  });
  const rightSince = () => {
    const shown = [...messages.values()].join('');
    const isRight = answer.writings.some(({ text, endedAt }) => endedAt !== undefined && text === shown);
    return isRight && draft === '' ? views.at(-1)?.at : undefined;
  };
  const askedAt = performance.now();
  control.sendMessage(chatId, { text: answer.question });
  return {
    chatId,
    answer,
    askedAt,
    views,
    rightSince,
    async untilRight(timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      while (rightSince() === undefined && performance.now() < deadline) await sleep(LOOK_EVERY_MS);
      return rightSince();
    },
    leave: unsubscribe,
  };
}

function isOfChat(event: ControlEvent, chatId: number): boolean {
  if (event.type === 'message' || event.type === 'message-changed') return event.message.chatId === chatId;
  if (event.type === 'draft') return event.draft.chatId === chatId;
  return 'chatId' in event && event.chatId === chatId;
}

const SAMPLE_EVERY_MS = 10;

/**
 * Returns the time from the first word written by the model to the first visible one, in milliseconds; NaN if none was
 * visible.
 */
export function measureFirstWords({ views, answer }: Conversation): number {
  const writing = answer.writings.at(-1);
  const first = views.find(({ text }) => writing && countShown(writing, text) > 0);
  return (first?.at ?? Number.NaN) - (writing?.words[0]?.at ?? Number.NaN);
}

/**
 * Returns the age of the first word not yet visible, sampled every 10 ms from the first word until all are visible; 0
 * if none was missing.
 */
export function measureLags({ views, answer }: Conversation): number[] {
  const writing = answer.writings.at(-1);
  const startAt = writing?.words[0]?.at;
  if (!writing || startAt === undefined) return [];
  const shown = views.map(({ at, text }) => ({ at, length: countShown(writing, text) }));
  const endAt = shown.find(({ length }) => length === writing.text.length)?.at ?? performance.now();
  const lags: number[] = [];
  for (let now = startAt; now < endAt; now += SAMPLE_EVERY_MS) {
    const shownLength = shown.findLast(({ at }) => at <= now)?.length ?? 0;
    const missing = writing.words.find(({ length }) => length > shownLength);
    lags.push(missing && missing.at <= now ? now - missing.at : 0);
  }
  return lags;
}

/** Returns the length of the visible part of the text. */
function countShown({ text }: Writing, shown: string): number {
  if (text.startsWith(shown)) return shown.length;
  return shown.startsWith(text) ? text.length : 0;
}
