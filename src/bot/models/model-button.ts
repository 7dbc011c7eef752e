import type { ModelEntry } from '../../core/models/index.ts';
import type { CallbackAction } from '../kit/actions.ts';
import type { ActionButton } from '../kit/keyboards.ts';
import { shortenMiddle } from './model-choice.ts';

/** Number of models that fit on a phone without scrolling. */
export const MODELS_PER_PAGE = 8;
/** Number of characters of a name that fit on a button of a phone's full width. */
const MAX_LABEL_CHARACTERS = 36;

/** Returns a button for one model, with the current one marked. */
export function toModelButton(entry: ModelEntry, current: string | undefined, action: CallbackAction): ActionButton {
  const mark = entry.id === current ? '✓ ' : '';
  return { text: mark + shortenMiddle(entry.id, MAX_LABEL_CHARACTERS), action };
}
