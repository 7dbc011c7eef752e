import type { Message } from 'grammy/types';

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
