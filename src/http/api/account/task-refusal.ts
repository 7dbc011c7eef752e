import type { TaskRefusal } from '../../../core/tasks/index.ts';
import { HttpError } from '../../http-error.ts';

const MINUTE_MS = 60_000;

/** Creates the error for a task that can't be stored. Its code says why, for texts in other languages. */
export function toTaskError(refusal: TaskRefusal | { readonly kind: 'unknown-time' | 'running' }): HttpError {
  const { code, message, status = 400, param } = describe(refusal);
  return new HttpError({ status, type: 'invalid_request_error', code, message, param });
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  /** Default 400. */
  readonly status?: number;
  readonly param?: string;
}

function describe(refusal: Parameters<typeof toTaskError>[0]): Refusal {
  const param = 'when';
  switch (refusal.kind) {
    case 'unknown-time':
      return { code: 'unknown_time', param, message: "'when' must be a time such as 'tomorrow 9:00'." };
    case 'past':
    case 'never':
      return { code: 'past_time', param, message: 'This time is in the past.' };
    case 'too-far':
      return { code: 'distant_time', param, message: 'This time is too far in the future.' };
    case 'too-often': {
      const minutes = Math.ceil(refusal.shortestIntervalMs / MINUTE_MS);
      return { code: 'too_often', param, message: `This repeats too often: at most every ${minutes} minutes.` };
    }
    case 'invalid-times':
      return { code: 'invalid_time', param, message: `A task can't be repeated like this: ${refusal.detail}.` };
    case 'invalid-prompt':
      return {
        ...{ code: 'invalid_text', param: 'text' },
        message: `'text' must not be empty, and have at most ${refusal.maxLength} characters.`,
      };
    case 'too-many':
      return { status: 409, code: 'too_many_tasks', message: `You have ${refusal.limit} active tasks, the maximum.` };
    case 'running':
      return { status: 409, code: 'running', message: 'This task is running already.' };
  }
}
