/** @import { ControlEvent } from '../control-protocol.ts' */
import { pressButton } from './control-client.js';

/** How long a pressed button waits for the bot: Telegram's apps give up after a similar time. */
const PATIENCE_MS = 15_000;
/** Answers that came before the press was confirmed; a handful is plenty. */
const MAX_EARLY_ANSWERS = 20;

/** @typedef {ReturnType<typeof createPresses>} Presses */
/** @typedef {Extract<ControlEvent, { type: 'callback-answer' }>} CallbackAnswer */

/**
 * The inline buttons that were pressed and not yet answered.
 * @param {{ onChange: () => void, onAnswer: (answer: CallbackAnswer) => void }} deps
 */
export function createPresses({ onChange, onAnswer }) {
  /** Callback query id (or a temporary one) to the button's place. @type {Map<string, { message: string, button: string }>} */
  const open = new Map();
  /** @type {Map<string, CallbackAnswer>} */
  const early = new Map();
  let count = 0;

  /** @param {string} id */
  const settle = (id) => {
    if (open.delete(id)) onChange();
  };

  return {
    /**
     * The busy buttons of a message as one string (`row:column;` each), so that it can be compared.
     * @param {number} chatId @param {number} messageId
     */
    busyIn(chatId, messageId) {
      const message = `${chatId}/${messageId}`;
      return [...open.values()]
        .filter((press) => press.message === message)
        .map((press) => press.button)
        .join('');
    },
    /**
     * @param {{ chatId: number, messageId: number, row: number, column: number, from: number, data?: string }} press
     * `data` instead of the place presses a button inside a rich message
     */
    async press({ chatId, messageId, row, column, from, data }) {
      const temporary = `press-${++count}`;
      const place = { message: `${chatId}/${messageId}`, button: `${row}:${column};` };
      open.set(temporary, place);
      onChange();
      try {
        const pressed = await pressButton(
          chatId,
          messageId,
          data === undefined ? { row, column, from } : { data, from },
        );
        const id = pressed.callbackQueryId;
        if (id === undefined) return pressed;
        const answer = early.get(id);
        early.delete(id);
        if (answer) onAnswer(answer);
        else {
          open.set(id, place);
          setTimeout(() => settle(id), PATIENCE_MS);
        }
        return pressed;
      } finally {
        settle(temporary);
      }
    },
    /** @param {CallbackAnswer} answer */
    takeAnswer(answer) {
      if (open.has(answer.callbackQueryId)) {
        settle(answer.callbackQueryId);
        onAnswer(answer);
        return;
      }
      early.set(answer.callbackQueryId, answer);
      const oldest = early.keys().next().value;
      if (early.size > MAX_EARLY_ANSWERS && oldest !== undefined) early.delete(oldest);
    },
  };
}
