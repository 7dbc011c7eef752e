import { setTimeout as sleep } from 'node:timers/promises';
import type { Control, ControlEvent } from 'telegram-bot-simulator';
import type { ScriptedAnswer, Writing } from './scripted-provider.ts';

/** One person's question, and everything that could be seen of its answer. */
export interface Conversation {
  readonly chatId: number;
  readonly answer: ScriptedAnswer;
  /** When the person wrote, in milliseconds of `performance.now()`. */
  readonly askedAt: number;
  /** What could be read of the bot at a time, drafts included; another entry with every change. */
  readonly views: readonly View[];
  /**
   * When the chat came to show what it shows now, where that is one whole answer, once, and nothing else. Undefined where it is not.
   */
  rightSince(): number | undefined;
  /** Resolves when the chat is right, or with undefined after `timeoutMs`. It may still go wrong afterwards. */
  untilRight(timeoutMs: number): Promise<number | undefined>;
  /** Stops looking. */
  leave(): void;
}

interface View {
  readonly at: number;
  readonly text: string;
}

const LOOK_EVERY_MS = 20;

/** Makes a person, has them ask, and watches their chat from then on. */
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

/** From the first word that the model wrote to the first that could be read, in milliseconds. NaN where there was none. */
export function measureFirstWords({ views, answer }: Conversation): number {
  const writing = answer.writings.at(-1);
  const first = views.find(({ text }) => writing && countShown(writing, text) > 0);
  return (first?.at ?? Number.NaN) - (writing?.words[0]?.at ?? Number.NaN);
}

/**
 * How old the first word was that could not be read yet, looked at every 10 ms from the first word until all could be read:
 * 0 where nothing was missing.
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

/** How much of the text can be read. */
function countShown({ text }: Writing, shown: string): number {
  if (text.startsWith(shown)) return shown.length;
  return shown.startsWith(text) ? text.length : 0;
}
