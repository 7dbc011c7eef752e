import type { ToolUse } from '../../core/generation/index.ts';
import type { Tool } from '../../core/tools/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { isJsonObject } from '../../lib/json.ts';
import { shorten } from '../../lib/shorten.ts';
import type { Texts } from '../texts/locales.ts';

/** The line below an answer that says what tools are doing. */
export interface ToolStatus {
  /** Tools begin: after a moment the line shows, until words come. */
  begin(uses: readonly ToolUse[]): void;
  /** The same for pages of these names that are loaded before the model is asked. */
  open(names: readonly string[]): void;
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
  const begin = (works: readonly (string | undefined)[]) => {
    cancel();
    const lines = new Set(works.flatMap((work) => work ?? []));
    const status = [...lines].slice(0, MAX_LINES).join('\n');
    if (status !== '') cancel = deps.clock.setTimer(SHOW_AFTER_MS, () => show(status));
  };
  return {
    begin: (uses) => begin(uses.map((use) => describeUse(texts, use))),
    open: (names) => begin(names.map((name) => texts.tools.about(texts.tools.activities.reading, toSubject(name)))),
    end: () => cancel(),
  };
}

/** Whether a model with this tool opens links by itself. */
export function canOpenPages({ activity, parameters }: Tool): boolean {
  const properties = parameters['properties'];
  return activity === 'reading' && isJsonObject(properties) && ('url' in properties || 'urls' in properties);
}

/** `🔎 Searching: weather in Oslo`. Pictures that are drawn say so themselves. */
function describeUse({ tools }: Texts, { tool, parameters }: ToolUse): string | undefined {
  const { activity = 'other' } = tool;
  if (activity === 'drawing') return undefined;
  const subject = toSubject(tool.describeCall?.(parameters) ?? '');
  const work = activity === 'other' ? tools.using(tool.title ?? tool.name) : tools.activities[activity];
  return subject === '' ? work : tools.about(work, subject);
}

function toSubject(words: string): string {
  return shorten(words.replace(/\s+/g, ' ').trim(), MAX_SUBJECT_CHARACTERS);
}
