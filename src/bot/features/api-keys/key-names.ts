import { createKeyPolicySchemas } from '../../../core/accounts/index.ts';
import { toShownName } from '../../kit/names.ts';

/** Maximum length of a name in characters. */
export const MAX_NAME = 40;
/** Second line that removes the note. */
const NO_NOTE = '-';

/** Name and note of a key. An undefined name is not valid; a note that is not given stays as it is. */
export interface KeyNames {
  readonly label: string | undefined;
  /** Present if a note was given: undefined removes it, null means that it is not valid. */
  readonly note?: string | null | undefined;
}

/** Returns the name of a key; undefined if no visible characters are left or it is too long. */
export function toLabel(text: string): string | undefined {
  const label = toShownName(text.replace(/\s+/g, ' '));
  return label !== '…' && label.length <= MAX_NAME ? label : undefined;
}

/** Returns the name in the first line of a text and the note in the lines after it. */
export function toNames(text: string, nowMs: number): KeyNames {
  const [first = '', ...others] = text.trim().split('\n');
  const note = others.join('\n').trim();
  const label = toLabel(first);
  if (note === '') return { label };
  if (note === NO_NOTE) return { label, note: undefined };
  return { label, note: createKeyPolicySchemas(nowMs).note.safeParse(note).data ?? null };
}
