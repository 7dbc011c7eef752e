import type { ModelEntry } from '../../core/models/index.ts';
import type { Choice } from '../framework/choice.ts';
import type { ChoiceButton } from '../framework/keyboard.ts';
import { shortenMiddle } from './model-choice.ts';

/** What fits on a phone without scrolling. */
export const MODELS_PER_PAGE = 8;
/** What a button as wide as a phone shows of a name. */
const MAX_LABEL_CHARACTERS = 36;

/** A button for one model, marked where it is the current one. */
export function toModelButton(entry: ModelEntry, current: string | undefined, choice: Choice): ChoiceButton {
  const mark = entry.id === current ? '✓ ' : '';
  return { text: mark + shortenMiddle(entry.id, MAX_LABEL_CHARACTERS), choice };
}
