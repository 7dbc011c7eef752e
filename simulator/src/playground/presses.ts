import type { ControlEvent } from '../control-protocol.ts';
import { pressButton } from './control-client.ts';

/** Time after which a press counts as unanswered. Telegram's apps wait about as long. */
const PATIENCE_MS = 15_000;
/** Maximum number of answers kept that arrived before the response to their press. */
const MAX_EARLY_ANSWERS = 20;

export type Presses = ReturnType<typeof createPresses>;
type CallbackAnswer = Extract<ControlEvent, { type: 'callback-answer' }>;

/** Tracks the presses of inline buttons that the bot has not answered yet. */
export function createPresses({
  onChange,
  onAnswer,
}: {
  onChange: () => void;
  onAnswer: (answer: CallbackAnswer) => void;
}) {
  /** Buttons by callback query id (or a temporary id). */
  const open = new Map<string, { message: string; button: string }>();
  const early = new Map<string, CallbackAnswer>();
  let count = 0;

  const settle = (id: string) => {
    if (open.delete(id)) onChange();
  };

  return {
    /** Returns the busy buttons of a message as one comparable string (`row:column;` each). */
    busyIn(chatId: number, messageId: number) {
      const message = `${chatId}/${messageId}`;
      return [...open.values()]
        .filter((press) => press.message === message)
        .map((press) => press.button)
        .join('');
    },
    /** @param press `data` instead of row and column presses a button inside a rich message */
    async press({
      chatId,
      messageId,
      row,
      column,
      from,
      data,
    }: {
      chatId: number;
      messageId: number;
      row: number;
      column: number;
      from: number;
      data?: string;
    }) {
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
    takeAnswer(answer: CallbackAnswer) {
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
