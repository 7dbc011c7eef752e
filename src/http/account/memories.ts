import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
  MAX_MEMORIES,
  MAX_MEMORY_CHARACTERS,
  type Memory as StoredMemory,
  searchMemories,
  toMemoryText,
} from '../../core/memory/index.ts';
import { isLonger } from '../../protocols/fields/check-fields.ts';
import { notFound } from '../../protocols/http-error.ts';
import { conflict } from '../resources/conflict.ts';
import { toTime } from '../resources/fields.ts';
import { idSchema, readBody, readId, readQuery, searchSchema, textSchema } from '../resources/query.ts';
import type { HttpServices } from '../services.ts';
import { getSession } from './authenticate-session.ts';
import { getUser } from './profile.ts';

/** A note about the user, which models read. */
export interface Memory {
  readonly id: number;
  readonly text: string;
  /** A model wrote it after it had read text of others, so it may contain their instructions. */
  readonly has_foreign_text: boolean;
  readonly updated_at: string;
}

/** Memories, the newest first; those of a search by their fit. */
export interface OwnMemories {
  readonly data: readonly Memory[];
  /** Number of all memories, whatever the search. */
  readonly total: number;
  readonly max_memories: number;
  readonly max_characters: number;
  /** False if models neither read nor add memories. */
  readonly is_on: boolean;
}

/** Bound before white space is removed. */
const MAX_SENT_CHARACTERS = MAX_MEMORY_CHARACTERS * 4;

const listSchema = z.strictObject({ search: searchSchema.trim().optional() });
const memorySchema = z.strictObject({
  text: textSchema(MAX_SENT_CHARACTERS)
    .transform(toMemoryText)
    .refine((text) => text !== '', 'must not be empty')
    .refine((text) => !isLonger(text, MAX_MEMORY_CHARACTERS), `must have at most ${MAX_MEMORY_CHARACTERS} characters`),
});

/** Adds the memories of the user. Those of groups are changed in their chats. */
export function addOwnMemories(server: FastifyInstance, services: HttpServices): void {
  const { memories } = services;
  server.get('/api/me/memories', async (request): Promise<OwnMemories> => {
    const { userId } = getSession(request);
    const { search = '' } = readQuery(listSchema, request);
    const [{ settings }, stored] = await Promise.all([getUser(services, userId), memories.list({ userId })]);
    const newest = stored.toReversed();
    return {
      data: (search === '' ? newest : searchMemories(newest, search)).map(toMemory),
      total: stored.length,
      max_memories: MAX_MEMORIES,
      max_characters: MAX_MEMORY_CHARACTERS,
      is_on: settings.hasMemory ?? true,
    };
  });
  server.post('/api/me/memories', async (request, reply): Promise<Memory> => {
    const { userId } = getSession(request);
    const { text } = await readBody(memorySchema, request);
    const added = await memories.add({ userId }, { text, authorId: userId, source: undefined });
    if (added === 'off') throw conflict('Memory is off. Turn it on first.', undefined, 'memory_off');
    if (added === 'full')
      throw conflict(
        `The memory has ${MAX_MEMORIES} notes, which is the limit. Delete some first.`,
        undefined,
        'memory_full',
      );
    if (added === 'known') throw alreadyKnown();
    reply.code(201);
    return toMemory(added);
  });
  server.patch('/api/me/memories/:id', async (request): Promise<Memory> => {
    const { userId } = getSession(request);
    const { text } = await readBody(memorySchema, request);
    const written = { text, authorId: userId, source: undefined };
    const changed = await memories.change({ userId }, readId(idSchema, request), written);
    if (changed === 'known') throw alreadyKnown();
    if (changed === 'gone') throw unknownMemory();
    return toMemory(changed);
  });
  server.delete('/api/me/memories/:id', async (request, reply) => {
    const { userId } = getSession(request);
    if (!(await memories.remove({ userId }, readId(idSchema, request)))) throw unknownMemory();
    return reply.code(204).send();
  });
  server.delete('/api/me/memories', async (request, reply) => {
    await memories.removeAll({ userId: getSession(request).userId });
    return reply.code(204).send();
  });
}

function toMemory({ id, text, hasForeignText, updatedAt }: StoredMemory): Memory {
  return {
    id,
    text,
    has_foreign_text: hasForeignText,
    updated_at: toTime(updatedAt),
  };
}

function alreadyKnown() {
  return conflict('There is a note with this text already.', 'text', 'known');
}

function unknownMemory() {
  return notFound('You have no note with this id.');
}
