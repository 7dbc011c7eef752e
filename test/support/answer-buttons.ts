import type { Message } from '@grammyjs/types';

const ANSWER_BUTTON = /^([‹›🔄🤖👍👎]|▶️|\d+\/\d+)$/u;

/** Labels of a message's inline buttons. Those that stand below every finished answer are left out: few tests are about them. */
export function listOtherButtons(message: Pick<Message, 'reply_markup'>): string[] {
  const labels = message.reply_markup?.inline_keyboard.flat().map(({ text }) => text) ?? [];
  return labels.includes('🔄') ? labels.filter((label) => !ANSWER_BUTTON.test(label)) : labels;
}
