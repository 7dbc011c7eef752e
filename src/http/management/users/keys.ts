import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { MAX_OVERLAP_MS } from '../../../core/accounts/index.ts';
import type { ManagedKey, PageRequest } from '../../../core/management/index.ts';
import { wholeNumberSchema } from '../../../protocols/fields/field-schemas.ts';
import { notFound } from '../../../protocols/http-error.ts';
import { conflict } from '../../resources/conflict.ts';
import { documentRoute } from '../../resources/document-route.ts';
import { requireMatch, tagged } from '../../resources/entity-tag.ts';
import { idPlaceSchema, pageSchema, pageShape, sendPage } from '../../resources/paged-list.ts';
import { idSchema, readBody, readId, readQuery, searchSchema } from '../../resources/query.ts';
import type { HttpServices } from '../../services.ts';
import { getManager } from '../authenticate-manager.ts';
import {
  createKeyBodySchemas,
  keySchema,
  requireChangeable,
  secretSchema,
  toBudget,
  toContent,
  toKey,
  toPolicy,
} from './key-fields.ts';

const DAY_SECONDS = 86_400;

const querySchema = z.strictObject({
  ...pageShape,
  user: idSchema.optional().describe('Id of the owner.'),
  search: searchSchema
    .optional()
    .describe(
      'Only keys with this text in their name or that of their owner, in any case, or at the beginning of their secret, up to its first ten characters.',
    ),
});
const rotationSchema = z
  .strictObject({
    overlap_seconds: wholeNumberSchema(0, MAX_OVERLAP_MS / 1000)
      .default(DAY_SECONDS)
      .describe('Time for which the previous secret still works, up to a week. Default: one day.'),
  })
  .meta({ examples: [{ overlap_seconds: 3600 }] });
/** For the OpenAPI document. Bodies are checked with the schemas at the time of their request. */
const { newKeySchema, changesSchema } = createKeyBodySchemas(0);

const params = z.object({ id: z.string().describe('Id of the key.') });
const LIST = documentRoute({
  summary: 'List API keys',
  description: 'Revoked keys and the universal key are not listed. Secrets are never shown again.',
  querystring: querySchema,
  answer: ['Keys by id.', pageSchema(keySchema)],
  errors: [400],
});
const ONE = documentRoute({ summary: 'Get an API key', params, answer: ['The key.', keySchema], errors: [400, 404] });
const CREATE = documentRoute({
  summary: 'Create an API key for a user',
  description: 'Keys for the management API are given in the chat only.',
  body: newKeySchema,
  status: 201,
  answer: ['The key with its secret, which is shown only now.', secretSchema],
  errors: [400, 404, 409, 413, 415],
});
const CHANGE = documentRoute({
  summary: 'Change, pause or resume an API key',
  description: 'Fields that are not sent stay. Applies within a second. Not for keys of the management API.',
  params,
  body: changesSchema,
  isConditional: true,
  answer: ['The key.', keySchema],
  errors: [400, 404, 412, 413, 415],
});
const ROTATE = documentRoute({
  summary: 'Give an API key a new secret',
  description: 'Not for keys of the management API.',
  params,
  body: rotationSchema,
  isConditional: true,
  answer: ['The key with its new secret, which is shown only now.', secretSchema],
  errors: [400, 404, 412, 413, 415],
});
const REVOKE = documentRoute({
  summary: 'Revoke an API key',
  params,
  isConditional: true,
  status: 204,
  answer: ['The key stops working within a second.'],
  errors: [400, 404, 412],
});

/** Adds the routes of API keys. */
export function addKeys(server: FastifyInstance, services: HttpServices): void {
  const { keys } = services.management;
  /** @param isOpen whether keys of the management API may be changed in this way. */
  const toChangeOptions = (request: FastifyRequest, isOpen = false) => ({
    manager: getManager(request),
    keyId: readId(idSchema, request),
    check: (current: ManagedKey) => {
      if (!isOpen) requireChangeable(current);
      requireMatch(request, toContent(current));
    },
  });
  server.get('/api/keys', { schema: LIST }, (request) => {
    const { user: userId, search, ...page } = readQuery(querySchema, request);
    const read = (part: PageRequest) => keys.list({ userId, search }, part);
    return sendPage(request, page, { keySchema: idPlaceSchema, read }, toKey);
  });
  server.get('/api/keys/:id', { schema: ONE }, async (request, reply) => {
    const key = await keys.find(readId(idSchema, request));
    if (!key) throw unknownKey();
    return tagged(reply, toKey(key), toContent(key));
  });
  server.post('/api/keys', { schema: CREATE }, async (request, reply) => {
    const {
      user: userId,
      label,
      ...rules
    } = await readBody(createKeyBodySchemas(services.clock.now()).newKeySchema, request);
    const rulesOfKey = { label, policy: toPolicy(rules), budget: toBudget(rules) };
    const created = await keys.create({ manager: getManager(request), userId }, rulesOfKey);
    if (!created) throw notFound('There is no user with this id.');
    if (created === 'full') throw conflict('The user has the maximum number of keys.', 'user');
    reply.code(201);
    return tagged(reply, { ...toKey(created.key), secret: created.secret }, toContent(created.key));
  });
  server.patch('/api/keys/:id', { schema: CHANGE }, async (request, reply) => {
    const options = toChangeOptions(request);
    const { label, paused, ...rules } = await readBody(
      createKeyBodySchemas(services.clock.now()).changesSchema,
      request,
    );
    const key = await keys.change(options, { label, isPaused: paused, policy: toPolicy(rules) });
    if (!key) throw unknownKey();
    return tagged(reply, toKey(key), toContent(key));
  });
  server.post('/api/keys/:id/rotate', { schema: ROTATE }, async (request, reply) => {
    const options = toChangeOptions(request);
    const { overlap_seconds: overlapSeconds } = await readBody(rotationSchema, request);
    const rotated = await keys.rotate(options, overlapSeconds * 1000);
    if (!rotated) throw unknownKey();
    return tagged(reply, { ...toKey(rotated.key), secret: rotated.secret }, toContent(rotated.key));
  });
  server.delete('/api/keys/:id', { schema: REVOKE }, async (request, reply) => {
    if (!(await keys.revoke(toChangeOptions(request, true)))) throw unknownKey();
    return reply.code(204).send();
  });
}

function unknownKey() {
  return notFound('There is no active API key with this id.');
}
