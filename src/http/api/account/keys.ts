import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type ApiKey, MAX_OVERLAP_MS } from '../../../core/accounts/index.ts';
import { notFound } from '../../http-error.ts';
import type { HttpServices } from '../../services.ts';
import { wholeNumberSchema } from '../field-schemas.ts';
import {
  createKeyBodySchemas,
  type keySchema,
  requireChangeable,
  type secretSchema,
  toKey,
  toPolicy,
} from '../management/key-fields.ts';
import { conflict } from '../resources/conflict.ts';
import { idSchema, readBody, readId } from '../resources/query.ts';
import { getSession } from './authenticate-session.ts';

export type Key = z.infer<typeof keySchema>;
/** A key with its secret, which can't be read again. */
export type KeyWithSecret = z.infer<typeof secretSchema>;
/** Active keys of the user, oldest first. */
export interface Keys {
  readonly data: readonly Key[];
  /** Maximum number of active keys. */
  readonly max_keys: number;
}

const rotationSchema = z.strictObject({ overlap_seconds: wholeNumberSchema(0, MAX_OVERLAP_MS / 1000) });

/** Adds the API keys of the user. Those with the scope `manage` are made and changed in the chat only. */
export function addOwnKeys(server: FastifyInstance, { apiKeys, clock }: HttpServices): void {
  const checkChangeable = async (userId: number, keyId: number) =>
    requireChangeable(requireKey(await apiKeys.find(userId, keyId)));
  server.get('/api/me/keys', async (request): Promise<Keys> => {
    const { userId } = getSession(request);
    const keys = await apiKeys.list(userId);
    return { data: keys.map((key) => toKey({ ...key, userId })), max_keys: apiKeys.maxKeys };
  });
  server.post('/api/me/keys', async (request, reply): Promise<KeyWithSecret> => {
    const { userId } = getSession(request);
    const schema = createKeyBodySchemas(clock.now()).newKeySchema.omit({ user: true });
    const { label, ...rules } = await readBody(schema, request);
    const created = await apiKeys.create(userId, label, toPolicy(rules));
    if (!created) throw conflict('You have the maximum number of keys. Revoke one first.', 'label');
    reply.code(201);
    return { ...toKey({ ...created.key, userId }), secret: created.secret };
  });
  server.patch('/api/me/keys/:id', async (request): Promise<Key> => {
    const { userId } = getSession(request);
    const keyId = readId(idSchema, request);
    await checkChangeable(userId, keyId);
    const schema = createKeyBodySchemas(clock.now()).changesSchema;
    const { label, paused, ...rules } = await readBody(schema, request);
    // First what an admin may have set: it is refused.
    if (paused === false) await apiKeys.resume(userId, keyId);
    await apiKeys.change(userId, keyId, toPolicy(rules));
    if (paused === true) await apiKeys.pause(userId, keyId);
    if (label !== undefined) await apiKeys.rename(userId, keyId, label);
    return toKey({ ...requireKey(await apiKeys.find(userId, keyId)), userId });
  });
  server.post('/api/me/keys/:id/rotate', async (request): Promise<KeyWithSecret> => {
    const { userId } = getSession(request);
    const keyId = readId(idSchema, request);
    await checkChangeable(userId, keyId);
    const { overlap_seconds: overlapSeconds } = await readBody(rotationSchema, request);
    const rotated = await apiKeys.rotate(userId, keyId, overlapSeconds * 1000);
    const key = requireKey(rotated?.key);
    return { ...toKey({ ...key, userId }), secret: rotated?.secret ?? '' };
  });
  server.delete('/api/me/keys/:id', async (request, reply) => {
    const { userId } = getSession(request);
    if (!(await apiKeys.revoke(userId, readId(idSchema, request)))) throw unknownKey();
    return reply.code(204).send();
  });
}

function requireKey(key: ApiKey | undefined): ApiKey {
  if (!key) throw unknownKey();
  return key;
}

function unknownKey() {
  return notFound('You have no active API key with this id.');
}
