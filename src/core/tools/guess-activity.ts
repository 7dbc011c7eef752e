import type { JsonObject } from '../../lib/json/json.ts';
import type { ToolActivity } from './tool.ts';

const MAX_SUBJECT_CHARACTERS = 200;

/** Guesses a tool's activity from its name. */
export function guessActivity(name: string): ToolActivity {
  if (/search|find|lookup/i.test(name)) return 'searching';
  return /fetch|read|browse|crawl|scrape|extract/i.test(name) ? 'reading' : 'other';
}

/** Guesses the subject of a call from the usual parameter names. */
export function guessSubject(parameters: JsonObject): string | undefined {
  const subject = ['query', 'q', 'search', 'question', 'topic', 'url', 'location', 'city', 'name', 'path']
    .map((field) => parameters[field])
    .find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof subject === 'string' ? subject.trim().slice(0, MAX_SUBJECT_CHARACTERS) : undefined;
}
