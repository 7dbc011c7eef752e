import type { ToolUse } from '../../core/generation/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Texts } from '../texts/locales.ts';

/** The line below an answer that says what tools are doing. */
export interface ToolStatus {
  /** Tools begin: after a moment the line shows, until words come. */
  begin(uses: readonly ToolUse[]): void;
  /** Words come, or nothing more will. */
  end(): void;
}

/** Most calculations, and the words after them, come sooner: a line that flickers helps nobody. */
const SHOW_AFTER_MS = 350;
const MAX_LINES = 3;
const MAX_SUBJECT_CHARACTERS = 60;

/** @param show called with the line. */
export function createToolStatus(
  deps: { readonly clock: Clock },
  texts: Texts,
  show: (status: string) => void,
): ToolStatus {
  let cancel = () => {};
  return {
    begin(uses) {
      cancel();
      const status = describeUses(texts, uses);
      if (status !== '') cancel = deps.clock.setTimer(SHOW_AFTER_MS, () => show(status));
    },
    end: () => cancel(),
  };
}

/** A line for each kind of work: `🔎 Searching: weather in Oslo`. Pictures that are drawn say so themselves. */
function describeUses(texts: Texts, uses: readonly ToolUse[]): string {
  const lines = new Set(uses.flatMap((use) => describeUse(texts, use) ?? []));
  return [...lines].slice(0, MAX_LINES).join('\n');
}

function describeUse({ tools }: Texts, { tool, parameters }: ToolUse): string | undefined {
  const { activity = 'other' } = tool;
  if (activity === 'drawing') return undefined;
  const words = tool.describeCall?.(parameters)?.replace(/\s+/g, ' ').trim() ?? '';
  const characters = [...words];
  const isLong = characters.length > MAX_SUBJECT_CHARACTERS;
  const subject = isLong ? `${characters.slice(0, MAX_SUBJECT_CHARACTERS - 1).join('')}…` : words;
  const work = activity === 'other' ? tools.using(tool.title ?? tool.name) : tools.activities[activity];
  return subject === '' ? work : tools.about(work, subject);
}
