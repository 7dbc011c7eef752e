import type { Texts } from '../texts/locales.ts';
import type { Origin } from './choice.ts';
import type { ChoiceButton } from './keyboard.ts';

/** Returns *Back* to where a menu was opened from; *Close* where a command opened it. */
export function toLeaveButton({ buttons }: Texts, origin: Origin): ChoiceButton {
  if (origin === undefined) return { text: buttons.close, choice: { kind: 'close-menu' } };
  return { text: buttons.back, choice: { kind: origin === 'settings' ? 'show-settings' : 'show-welcome' } };
}
