import type { InlineKeyboardMarkup, Message } from 'grammy/types';
import type { ChatMessage, Simulator } from 'telegram-bot-simulator';
import { expect } from 'vitest';

/** Speed of the clock relative to real time. */
export const SPEED = 20;
/** Timeout of a step in real milliseconds, generous because a machine may be slow. */
export const PATIENCE_MS = 30_000;
/** The same timeout on the accelerated clock. */
export const STEP_MS = PATIENCE_MS * SPEED;

/** Real time between two looks at a chat that does not change. */
const LOOK_EVERY_MS = 20;
/** Time without an event after which a bot that has nothing to do will do nothing more: 20 s on the accelerated clock. */
const IDLE_MS = 1000;
/** The same for a bot that is busy, or in another process: its model or Telegram does not answer. */
const STUCK_MS = 10_000;

export type ChatHelpers = ReturnType<typeof createChatHelpers>;

interface ChatHelpersOptions {
  /** Log lines of the bot. */
  readonly log?: readonly string[];
  /** Tells whether the bot has nothing to do: then nothing that a test waits for will still happen. Default: never. */
  readonly isIdle?: () => Promise<boolean>;
  /** Time without an event after which nothing more is expected. Default 10 s. */
  readonly stuckMs?: number;
  /** Milliseconds that count. Default: those of the looks, so that a machine that does not schedule this process stops them. */
  readonly now?: () => number;
}

/** Reads the chats as their members see them. */
export function createChatHelpers(
  control: Simulator['control'],
  { log = [], isIdle = async () => false, stuckMs = STUCK_MS, now: givenNow }: ChatHelpersOptions = {},
) {
  /**
   * Returns a chat as lines: `Ann: hello` or `Bot: Which? [Yes] [No]`. The standard buttons of finished answers are
   * omitted.
   */
  const lines = (chatId: number) => control.transcript(chatId).map(toLine);
  /**
   * Waits for a value while something happens. Looks at every event.
   * @throws with `describe()` and the last errors of the log as soon as the bot is idle or stuck
   */
  const waitFor = async <Value>(look: () => Value | undefined | false, describe: () => string): Promise<Value> => {
    let found: Value | undefined | false;
    let lookedMs = 0;
    const now = givenNow ?? (() => lookedMs);
    let quietSince = now();
    let idleSince = Number.POSITIVE_INFINITY;
    const isOver = () => now() - idleSince >= IDLE_MS || now() - quietSince >= stuckMs;
    let wake = () => {};
    const unsubscribe = control.subscribe(() => {
      quietSince = now();
      idleSince = Number.POSITIVE_INFINITY;
      found ||= look();
      wake();
    });
    try {
      while (!isOver()) {
        found ||= look();
        if (found !== undefined && found !== false) return found;
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, LOOK_EVERY_MS);
        });
        lookedMs += LOOK_EVERY_MS;
        idleSince = (await isIdle()) ? Math.min(idleSince, now()) : Number.POSITIVE_INFINITY;
      }
    } finally {
      unsubscribe();
    }
    const errors = log.filter((line) => line.includes('"level":50')).slice(-3);
    throw new Error(
      [Number.isFinite(idleSince) ? 'the bot is idle' : 'the bot is stuck', describe(), ...errors].join('\n'),
    );
  };
  return {
    lines,
    waitFor,
    /** Returns the joined labels of the last inline keyboard in the chat: `‹ 2/2 · basic › ⋯`; without 👍 and 👎. */
    buttons(chatId: number): string {
      const rows = control.transcript(chatId).map(({ message }) => message.reply_markup?.inline_keyboard ?? []);
      return (rows.findLast((one) => one.length > 0) ?? [])
        .flat()
        .map(({ text }) => text)
        .filter((label) => !isOpinionButton(label))
        .join(' ');
    },
    /** Waits until a chat has exactly these lines. */
    async shows(chatId: number, expected: readonly string[]): Promise<void> {
      const isShown = () => JSON.stringify(lines(chatId)) === JSON.stringify(expected);
      await waitFor(isShown, () => '').catch(({ message }) => expect(lines(chatId), message).toEqual(expected));
    },
    /** Waits for a message of the bot with a matching text or caption. */
    sees: (chatId: number, text: string | RegExp): Promise<ChatMessage> =>
      waitFor(
        () => control.transcript(chatId).findLast((message) => isBots(message) && matches(message, text)),
        () => `expected ${text} in\n${lines(chatId).join('\n')}`,
      ),
  };
}

function isBots({ message }: ChatMessage): boolean {
  return message.from?.is_bot === true;
}

function matches({ message }: ChatMessage, text: string | RegExp): boolean {
  const words = message.text ?? message.caption ?? '';
  return typeof text === 'string' ? words === text : text.test(words);
}

function toLine({ message }: ChatMessage): string {
  const buttons = listOtherButtons(message).map((label) => ` [${label}]`);
  const file = message.photo ? '(photo) ' : message.document ? `(${message.document.file_name}) ` : '';
  return `${message.from?.first_name ?? '?'}: ${file}${message.text ?? message.caption ?? ''}${buttons.join('')}`;
}

/** Tells whether a label is a feedback button: 👍 or 👎, with or without a count. */
export function isOpinionButton(label: string): boolean {
  return /^(?:✓ )?[👍👎](?: \d+)?$/u.test(label);
}

/**
 * Tells whether a button belongs to the standard keyboard of finished answers: the actions on the answer, and feedback.
 * @param labels of all buttons of the message
 */
function isAnswerButton(label: string, labels: readonly string[]): boolean {
  const isFinished = labels.some((other) => other === '⋯' || other.startsWith('🔄'));
  return (
    isOpinionButton(label) ||
    (isFinished && /^(?:[‹›⋯]|Other model|Другая модель|(?:🔄|▶️|\d+\/\d+ ·).*|▶️)$/u.test(label))
  );
}

/** Returns the labels of all buttons of a message except the standard ones. */
export function listOtherButtons({ reply_markup: keyboard }: Message): string[] {
  const labels = keyboard?.inline_keyboard.flat().map(({ text }) => text) ?? [];
  return labels.filter((label) => !isAnswerButton(label, labels));
}

/** Returns a message of the bot with one button, as it occurs in a callback query. */
export function withButton<Message extends object>(
  message: Message | undefined,
  data: string,
): Message & { readonly reply_markup: InlineKeyboardMarkup } {
  if (!message) throw new Error('there is no message to press a button of');
  return { ...message, reply_markup: { inline_keyboard: [[{ text: 'Press', callback_data: data }]] } };
}
