import type { Message } from 'grammy/types';

/** 👍, 👎, and what people think so far. */
export function isOpinionButton(label: string): boolean {
  return /^(?:✓ )?[👍👎](?: \d+)?$/u.test(label);
}

/**
 * Whether a button stands below finished answers, where nobody has to press it: what can be done with them, and what people think so far.
 * @param labels of all buttons of the message
 */
function isAnswerButton(label: string, labels: readonly string[]): boolean {
  const isFinished = labels.some((other) => other === '⋯' || other.startsWith('🔄'));
  return (
    isOpinionButton(label) ||
    (isFinished && /^(?:[‹›⋯]|Other model|Другая модель|(?:🔄|▶️|\d+\/\d+ ·).*|▶️)$/u.test(label))
  );
}

/** Labels of the buttons of a message that are about something else. */
export function listOtherButtons({ reply_markup: keyboard }: Message): string[] {
  const labels = keyboard?.inline_keyboard.flat().map(({ text }) => text) ?? [];
  return labels.filter((label) => !isAnswerButton(label, labels));
}
