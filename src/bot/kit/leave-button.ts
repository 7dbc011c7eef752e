import { z } from 'zod';
import type { Texts } from '../texts/locales.ts';
import type { ActionButton } from './keyboards.ts';

/** Fields of a menu's action: the message that *Back* leads to; without it the menu has *Close*. */
export const origin = { back: z.enum(['settings', 'welcome']).optional() };
export type Origin = z.infer<typeof origin.back>;

/** Returns *Back* to the menu's origin; *Close* if a command opened it. */
export function toLeaveButton({ buttons }: Texts, back: Origin): ActionButton {
  if (back === undefined) return { text: buttons.close, action: { kind: 'close-menu' } };
  return { text: buttons.back, action: { kind: back === 'settings' ? 'show-settings' : 'show-welcome' } };
}
