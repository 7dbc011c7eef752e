import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Feedback } from '../../core/feedback/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { HttpError } from '../http-error.ts';
import { parseJsonBody } from '../json-body.ts';
import { checkFields } from './check-fields.ts';
import { getExchange } from './exchange.ts';

const MAX_ID_LENGTH = 500;
const MAX_COMMENT_LENGTH = 4000;

/** What a client says about an answer. */
export const feedbackSchema = z.looseObject({
  id: z
    .string('must be the id of an answer')
    .min(1, 'must be the id of an answer')
    .max(MAX_ID_LENGTH, 'is no id of an answer: it is too long'),
  rating: z.enum(['up', 'down'], "must be 'up', 'down' or null").nullable(),
  comment: z
    .string('must be a string')
    .max(MAX_COMMENT_LENGTH, `must have at most ${MAX_COMMENT_LENGTH} characters`)
    .nullish(),
});

/** `POST /ai/feedback`: an opinion about an answer that this key's owner was given; `rating: null` takes it back. */
export function addFeedback(server: FastifyInstance, deps: { readonly feedback: Pick<Feedback, 'rateReply'> }): void {
  server.post('/ai/feedback', async (request): Promise<JsonObject> => {
    const { id, rating, comment } = checkFields(feedbackSchema, parseJsonBody(request.body));
    const { caller } = getExchange(request);
    // Postgres keeps no U+0000 in text.
    const words = comment?.toWellFormed().replaceAll('\u0000', '').trim() || undefined;
    const opinion = { replyId: id.replaceAll('\u0000', ''), rating: rating ?? undefined, comment: words };
    if (!(await deps.feedback.rateReply(caller.personId, opinion))) throw unknownReply();
    return { id, rating, comment: rating === null ? null : (words ?? null) };
  });
}

/** Alike for ids that nobody has and for those of others. */
function unknownReply(): HttpError {
  return new HttpError({
    status: 404,
    type: 'invalid_request_error',
    code: 'reply_not_found',
    message: 'You were not given an answer with this id.',
    param: 'id',
  });
}
