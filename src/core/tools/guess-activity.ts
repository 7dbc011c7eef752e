import type { JsonObject } from '../../lib/json.ts';
import type { ToolActivity } from './tool.ts';

const MAX_SUBJECT_CHARACTERS = 200;

/** What a tool that says nothing of it does, going by its name. */
export function guessActivity(name: string): ToolActivity {
  if (/search|find|lookup/i.test(name)) return 'searching';
  return /fetch|read|browse|crawl|scrape|extract/i.test(name) ? 'reading' : 'other';
}

/** What a call is about, going by the usual names of parameters. */
export function guessSubject(parameters: JsonObject): string | undefined {
  const subject = ['query', 'q', 'search', 'question', 'topic', 'url', 'location', 'city', 'name', 'path']
    .map((field) => parameters[field])
    .find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof subject === 'string' ? subject.trim().slice(0, MAX_SUBJECT_CHARACTERS) : undefined;
}
