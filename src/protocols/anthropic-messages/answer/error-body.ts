import { z } from 'zod';
import type { HttpErrorFacts } from '../../http-error.ts';

/** Error body of Anthropic's API: https://docs.anthropic.com/en/api/errors */
export const messagesErrorSchema = z
  .strictObject({
    type: z.literal('error'),
    error: z.strictObject({
      type: z.string().describe('Kind of error: `invalid_request_error`, `rate_limit_error`, …'),
      message: z.string().describe('Explanation in English.'),
      details: z.strictObject({ error_code: z.string().describe('Exact cause, for programs.') }).optional(),
    }),
    request_id: z.string().describe('Quote it in problem reports.'),
  })
  .meta({ id: 'MessagesError', description: "Anthropic's error body." });

/** Converts error facts to the response body of Anthropic's dialect. */
export function toMessagesErrorBody(facts: HttpErrorFacts, requestId: string): z.infer<typeof messagesErrorSchema> {
  return {
    type: 'error',
    error: {
      type: TYPES[facts.status] ?? (facts.status >= 500 ? 'api_error' : 'invalid_request_error'),
      message: facts.message,
      ...(facts.code !== 'invalid_request_error' && { details: { error_code: facts.code } }),
    },
    request_id: requestId,
  };
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};
