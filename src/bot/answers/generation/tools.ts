import type { ToolUse } from '../../../core/generation/index.ts';
import type { Tool } from '../../../core/tools/index.ts';
import { isJsonObject } from '../../../lib/json/json.ts';
import { shorten } from '../../../lib/text.ts';
import type { BotServices } from '../../kit/services.ts';
import type { Texts } from '../../texts/locales.ts';

/** Most calculations and the text after them take less, so the line does not flicker. */
const SHOW_AFTER_MS = 350;
const MAX_LINES = 3;
const MAX_SUBJECT_CHARACTERS = 60;

/** @param show called with the status line. */
export function createToolStatus(services: BotServices, texts: Texts, show: (status: string) => void) {
  let cancel = () => {};
  const begin = (descriptions: readonly (string | undefined)[]) => {
    cancel();
    const lines = new Set(descriptions.flatMap((label) => label ?? []));
    const status = [...lines].slice(0, MAX_LINES).join('\n');
    if (status !== '') cancel = services.clock.setTimer(SHOW_AFTER_MS, () => show(status));
  };
  return {
    /** Shows the line after a short delay, until text arrives. */
    begin: (uses: readonly ToolUse[]): void => begin(uses.map((use) => describeUse(texts, use))),
    /** The same for the pages of a question, which are loaded before the model is called. */
    open: (names: readonly string[]): void =>
      begin(names.map((name) => texts.tools.about(texts.tools.activities.reading, toSubject(name)))),
    /** Cancels the line: text has arrived, or the answer has ended. */
    end: (): void => cancel(),
  };
}

/** Returns whether a model with this tool can open links. */
export function canOpenPages({ activity, parameters }: Tool): boolean {
  const properties = parameters['properties'];
  return activity === 'reading' && isJsonObject(properties) && ('url' in properties || 'urls' in properties);
}

/** Returns a line such as `🔎 Searching: weather in Oslo`. Image generation shows its own status. */
function describeUse({ tools }: Texts, { tool, parameters }: ToolUse): string | undefined {
  const { activity = 'other' } = tool;
  if (activity === 'drawing') return undefined;
  const subject = toSubject(tool.describeCall?.(parameters) ?? '');
  const label = activity === 'other' ? tools.using(tool.title ?? tool.name) : tools.activities[activity];
  return subject === '' ? label : tools.about(label, subject);
}

function toSubject(text: string): string {
  return shorten(text.replace(/\s+/g, ' ').trim(), MAX_SUBJECT_CHARACTERS);
}
