import type { ChatMessage, Simulator } from 'telegram-bot-simulator';
import { expect } from 'vitest';
import { isOpinionButton, listOtherButtons } from './answer-buttons.ts';

/** How many times as fast as real time the clock of a play runs. */
export const SPEED = 20;
/** Real milliseconds that a step of the play may take. Much more than any needs: a machine may be slow. */
export const PATIENCE_MS = 30_000;
/** The same by the clock of the play. */
export const STEP_MS = PATIENCE_MS * SPEED;

export type PlayChats = ReturnType<typeof createPlayChats>;

/** The chats of a play, as their members see them. */
export function createPlayChats(control: Simulator['control'], log: readonly string[]) {
  /** Returns a chat as lines: `Ann: hello` or `Bot: Which? [Yes] [No]`. The usual buttons below finished answers are left out. */
  const lines = (chatId: number) => control.transcript(chatId).map(toLine);
  /** Waits for a value. @throws with `describe()` and the last errors of the log where it does not come in time. */
  const waitFor = async <Value>(look: () => Value | undefined | false, describe: () => string): Promise<Value> => {
    try {
      return await control.waitFor(look, STEP_MS);
    } catch (error) {
      const errors = log.filter((line) => line.includes('"level":50')).slice(-3);
      throw new Error([String(error), describe(), ...errors].join('\n'));
    }
  };
  return {
    lines,
    waitFor,
    /** Returns the labels below the bot's last message that has any, all in one: `‹ 2/2 · basic › ⋯`; without 👍 and 👎. */
    buttons(chatId: number): string {
      const rows = control.transcript(chatId).map(({ message }) => message.reply_markup?.inline_keyboard ?? []);
      return (rows.findLast((one) => one.length > 0) ?? [])
        .flat()
        .map(({ text }) => text)
        .filter((label) => !isOpinionButton(label))
        .join(' ');
    },
    /** Waits until a chat has these lines. */
    async shows(chatId: number, expected: readonly string[]): Promise<void> {
      const isShown = () => JSON.stringify(lines(chatId)) === JSON.stringify(expected);
      await control.waitFor(isShown, STEP_MS).catch(() => {});
      expect(lines(chatId)).toEqual(expected);
    },
    /** Waits until a message of the bot has text or a caption like this. */
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
