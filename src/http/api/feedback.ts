import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Feedback } from '../../core/feedback/index.ts';
import { checkFields } from '../../protocols/fields/check-fields.ts';
import { HttpError } from '../../protocols/http-error.ts';
import { parseJsonBody } from '../server/bodies/json-body.ts';
import { describeResponse } from '../server/openapi.ts';
import { describeError, FAILURES, REFUSALS } from './requests/documented-errors.ts';
import { getRequestContext } from './requests/request-context.ts';

const MAX_ID_LENGTH = 500;
const MAX_COMMENT_LENGTH = 4000;

/** Body of a feedback request. */
const feedbackSchema = z.looseObject({
  id: z
    .string('must be the id of an answer')
    .min(1, 'must be the id of an answer')
    .max(MAX_ID_LENGTH, 'is too long for the id of an answer')
    .describe('The `id` of the answer.'),
  rating: z
    .enum(['up', 'down'], "must be 'up', 'down' or null")
    .nullable()
    .describe('`null` withdraws an earlier rating.'),
  comment: z
    .string('must be a string')
    .max(MAX_COMMENT_LENGTH, `must have at most ${MAX_COMMENT_LENGTH} characters`)
    .nullish()
    .describe('Up to 4000 characters, for the operator.'),
});

const opinionSchema = z
  .strictObject({ id: z.string(), rating: z.enum(['up', 'down']).nullable(), comment: z.string().nullable() })
  .meta({ id: 'Feedback', description: 'The stored rating.' });

const SCHEMA = {
  tags: ['Native'],
  summary: 'Feedback',
  description:
    'Rates an answer that you got with one of your keys, streamed or not, text or image. There is one rating per answer: a later one replaces it.',
  security: [{ 'api-key': [] }],
  body: feedbackSchema.meta({ examples: [{ id: 'chatcmpl-123', rating: 'up', comment: 'Short and right.' }] }),
  response: {
    200: describeResponse('The rating is stored.', opinionSchema),
    400: REFUSALS[400],
    401: REFUSALS[401],
    404: describeError('No answer with this id was given to you: `reply_not_found`.'),
    413: REFUSALS[413],
    415: REFUSALS[415],
    503: FAILURES[503],
  },
};

/**
 * Adds `POST /ai/feedback`: rates an answer that was generated for the owner of the key; `rating: null` removes the
 * rating.
 */
export function addFeedback(server: FastifyInstance, deps: { readonly feedback: Pick<Feedback, 'rateReply'> }): void {
  server.post('/ai/feedback', { schema: SCHEMA }, async (request): Promise<z.infer<typeof opinionSchema>> => {
    const { id, rating, comment } = checkFields(feedbackSchema, await parseJsonBody(request.body));
    const { requester } = getRequestContext(request);
    // Postgres can't store U+0000 in text.
    const words = comment?.toWellFormed().replaceAll('\u0000', '').trim() || undefined;
    const opinion = { replyId: id.replaceAll('\u0000', ''), rating: rating ?? undefined, comment: words };
    if (!(await deps.feedback.rateReply(requester.userId, opinion))) throw unknownReply();
    return { id, rating, comment: rating === null ? null : (words ?? null) };
  });
}

/** Creates the 404, the same for unknown ids and for answers of other users. */
function unknownReply(): HttpError {
  return new HttpError({
    status: 404,
    type: 'invalid_request_error',
    code: 'reply_not_found',
    message: 'You have received no answer with this id.',
    param: 'id',
  });
}
