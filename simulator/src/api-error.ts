import type { ResponseParameters } from '@grammyjs/types';

/**
 * Refusal of a Bot API method, sent as `{ok: false, error_code, description, parameters}`. Descriptions use Telegram's
 * wording.
 */
export class ApiError extends Error {
  readonly code: number;
  readonly parameters: ResponseParameters | undefined;

  constructor(code: number, description: string, parameters?: ResponseParameters) {
    super(description);
    this.name = 'ApiError';
    this.code = code;
    this.parameters = parameters;
  }
}

/** Returns a 400 error with the prefix that Telegram puts before the reason. */
export function badRequest(reason: string): ApiError {
  return new ApiError(400, `Bad Request: ${reason}`);
}

/** Returns the 400 error of a group that has become a supergroup with another id. */
export function upgradedGroup(supergroupId: number): ApiError {
  const description = 'Bad Request: group chat was upgraded to a supergroup chat';
  return new ApiError(400, description, { migrate_to_chat_id: supergroupId });
}

/** Returns a 403 error: the bot may not act in that chat. */
export function forbidden(reason: string): ApiError {
  return new ApiError(403, `Forbidden: ${reason}`);
}

/** Returns a 429 error with the seconds to wait, at least one. */
export function tooManyRequests(retryAfterSeconds: number): ApiError {
  const retryAfter = Math.max(1, Math.ceil(retryAfterSeconds));
  return new ApiError(429, `Too Many Requests: retry after ${retryAfter}`, { retry_after: retryAfter });
}
