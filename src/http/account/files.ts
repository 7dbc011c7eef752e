import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { notFound } from '../../protocols/http-error.ts';
import { isFileId } from '../files/file-id.ts';
import { MAX_PASSWORD_BYTES } from '../files/upload/upload-options.ts';
import { conflict } from '../resources/conflict.ts';
import { listByOffset, pageShape, sendPage } from '../resources/paged-list.ts';
import { readBody, readId, readQuery, searchSchema, textSchema, timeSchema } from '../resources/query.ts';
import type { HttpServices } from '../services.ts';
import { getSession } from './authenticate-session.ts';
import { type OwnFile, toOwnFile } from './own-file.ts';

/** A page of files, newest first, with the totals of all pages. */
export interface OwnFiles {
  readonly data: readonly OwnFile[];
  readonly next_cursor: string | null;
  readonly total_count: number;
  readonly total_bytes: number;
}

const querySchema = z.strictObject({
  ...pageShape,
  search: searchSchema.optional(),
  kind: z.enum(['file', 'conversation'], 'must be file or conversation').optional(),
});

/** Adds the user's files and shared conversations: list, change, delete. */
export function addOwnFiles(server: FastifyInstance, { storage, clock, cloudUrl }: HttpServices): void {
  server.get('/api/me/files', async (request): Promise<OwnFiles> => {
    const { search, kind, ...page } = readQuery(querySchema, request);
    let totals = { total_count: 0, total_bytes: 0 };
    const answer = await sendPage(
      request,
      page,
      listByOffset(async (range) => {
        const { files, totalCount, totalBytes } = await storage.list(getSession(request).userId, {
          search,
          kind,
          ...range,
        });
        totals = { total_count: totalCount, total_bytes: totalBytes };
        return { items: files, totalCount };
      }),
      (file) => toOwnFile(file, cloudUrl()),
    );
    return { ...answer, ...totals };
  });
  const isOwnConversation = async (id: string, userId: number) => {
    const file = await storage.find(id);
    return file?.userId === userId && file.kind === 'conversation';
  };
  server.patch('/api/me/files/:id', async (request): Promise<OwnFile> => {
    const id = getFileId(request);
    const { userId } = getSession(request);
    const { name, expires_at: expiresAt, password } = await readBody(createChangesSchema(clock.now()), request);
    if (password && (await isOwnConversation(id, userId))) {
      throw conflict('Shared conversations have no password.', 'password');
    }
    const file = await storage.change(
      id,
      { userId },
      {
        ...(name !== undefined && { name }),
        ...(expiresAt !== undefined && { expiresAt }),
        ...(password !== undefined && { password }),
      },
    );
    if (!file) throw unknownFile();
    return toOwnFile(file, cloudUrl());
  });
  server.delete('/api/me/files/:id', async (request, reply) => {
    const outcome = await storage.delete(getFileId(request), { userId: getSession(request).userId });
    if (outcome !== 'deleted') throw unknownFile();
    return reply.code(204).send();
  });
}

function getFileId(request: FastifyRequest): string {
  const id = readId(z.string(), request);
  if (!isFileId(id)) throw unknownFile();
  return id;
}

function unknownFile() {
  return notFound('You have no file with this id.');
}

const MAX_NAME_LENGTH = 255;

/** Creates the schema of changes. Absent fields stay as they are. */
function createChangesSchema(nowMs: number) {
  return z.strictObject({
    name: textSchema(MAX_NAME_LENGTH)
      .refine((name) => name.trim() !== '', 'must not be empty')
      .optional(),
    expires_at: timeSchema.refine((time) => time.getTime() > nowMs, 'must be in the future').nullish(),
    password: z
      .string('must be a text')
      .min(1, 'must not be empty')
      .refine((text) => Buffer.byteLength(text) <= MAX_PASSWORD_BYTES, `must have at most ${MAX_PASSWORD_BYTES} bytes`)
      .nullish(),
  });
}
