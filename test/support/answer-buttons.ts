import type { Message } from 'grammy/types';

/** Whether a button stands below finished answers, where nobody has to press it: 👍, 👎, and what people think so far. */
function isAnswerButton(label: string): boolean {
  return /^(?:✓ )?[👍👎](?: \d+)?$/u.test(label);
}

/** Labels of the buttons of a message that are about something else. */
export function listOtherButtons({ reply_markup: keyboard }: Message): string[] {
  const labels = keyboard?.inline_keyboard.flat().map(({ text }) => text) ?? [];
  return labels.filter((label) => !isAnswerButton(label));
}
