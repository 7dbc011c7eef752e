import { messagesErrorSchema } from '../../../protocols/anthropic-messages/answer/error-body.ts';
import { describeResponse } from '../../server/openapi.ts';

/** Describes an error of Anthropic's dialect. */
export const describeMessagesError = (description: string) => describeResponse(description, messagesErrorSchema);

/** Errors of the routes that accept JSON. */
export const MESSAGES_REFUSALS = {
  400: describeMessagesError(
    'The body is invalid, or the model can not do what it asks for; `message` names the field.',
  ),
  401: describeMessagesError('The API key is missing or invalid: `authentication_error`.'),
  403: describeMessagesError('The API key does not allow the model: `permission_error`.'),
  404: describeMessagesError('No provider has the model: `not_found_error`.'),
  413: describeMessagesError('The body is larger than 20 MiB: `request_too_large`.'),
  415: describeMessagesError('The body is not JSON: `invalid_request_error`.'),
  503: describeMessagesError('Temporarily unavailable: `overloaded_error`. `Retry-After` says when to retry.'),
};
