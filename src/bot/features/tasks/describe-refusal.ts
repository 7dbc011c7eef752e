import type { TaskRefusal } from '../../../core/tasks/index.ts';
import type { Locale } from '../../texts/locales.ts';
import { texts } from './texts.ts';

/** Returns why a task can't be stored, for users. */
export function describeRefusal(locale: Locale, refusal: TaskRefusal): string {
  const { problems, textTooLong } = texts[locale];
  switch (refusal.kind) {
    case 'past':
    case 'never':
      return problems.past;
    case 'too-far':
      return problems.tooFar;
    case 'too-often':
      return problems.tooOften(toMinutes(refusal.shortestIntervalMs));
    case 'too-many':
      return refusal.limit === 0 ? problems.noneAllowed : problems.tooMany(refusal.limit);
    case 'invalid-prompt':
      return textTooLong(refusal.maxLength);
    case 'invalid-times':
      return problems.badRule;
  }
}

/** Returns why a task can't be stored, for models: what to change. */
export function describeRefusalForModel(refusal: TaskRefusal): string {
  switch (refusal.kind) {
    case 'past':
      return 'this time is in the past; choose a later one';
    case 'never':
      return 'the rule has no time in the future; change rrule or at';
    case 'too-far':
      return 'this time is more than five years ahead';
    case 'too-often':
      return `this repeats too often; the shortest interval is ${toMinutes(refusal.shortestIntervalMs)} minutes`;
    case 'too-many':
      return `the user has ${refusal.limit} tasks, which is the limit; one has to be cancelled first`;
    case 'invalid-prompt':
      return `the text is missing or longer than ${refusal.maxLength} characters`;
    case 'invalid-times':
      return refusal.detail;
  }
}

function toMinutes(ms: number): number {
  return Math.ceil(ms / 60_000);
}
