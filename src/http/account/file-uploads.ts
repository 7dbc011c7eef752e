import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { MAX_NAME_LENGTH, requireUploads } from '../files/cloud-error.ts';
import { toMediaType } from '../files/media-types.ts';
import { checkUploadHeaders, lingerAfterAnswer, readUploadBody, toAnnouncedSize } from '../files/upload/upload-body.ts';
import { createUploadPace } from '../files/upload/upload-pace.ts';
import { readQuery, textSchema } from '../resources/query.ts';
import { toClientAddress } from '../server/connections/addresses.ts';
import { READS_BODY_ITSELF } from '../server/request-head.ts';
import type { HttpServices } from '../services.ts';
import { getSession, getSignal, installSession } from './authenticate-session.ts';
import { type OwnFile, toOwnFile } from './own-file.ts';

const querySchema = z.strictObject({ name: textSchema(MAX_NAME_LENGTH).min(1, 'must not be empty') });

/**
 * Adds `PUT /api/me/files?name=`, whose body is the file. Bytes are streamed to the storage. Must be registered in a
 * context of its own, because it reads bodies itself.
 */
export function addOwnUploads(server: FastifyInstance, services: HttpServices): void {
  const { storage, clock, inFlight } = services;
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _body, done) => done(null));
  server.addHook('onRequest', (request, reply, done) => {
    lingerAfterAnswer(request, reply, clock);
    done();
  });
  installSession(server, services, inFlight.uploads);
  server.addHook('onRequest', (request, _reply, done) => {
    requireUploads(services.administration.uploads);
    checkUploadHeaders(request, storage.maxFileBytes);
    done();
  });
  server.put('/api/me/files', { config: READS_BODY_ITSELF }, async (request, reply): Promise<OwnFile> => {
    const { name } = readQuery(querySchema, request);
    const source = readUploadBody(request, reply, createUploadPace(clock));
    try {
      const file = await storage.upload(
        source.bytes,
        {
          name,
          mediaType: toMediaType(request.headers['content-type'], name),
          sizeBytes: toAnnouncedSize(request),
          userId: getSession(request).userId,
          address: toClientAddress(request),
        },
        getSignal(request),
      );
      reply.code(201);
      return toOwnFile(file, services.cloudUrl());
    } finally {
      source.discard();
    }
  });
}
