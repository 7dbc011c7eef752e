import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { UploadedFile, UploadOptions } from '../../../core/storage/index.ts';
import { authenticate, hasApiKey } from '../../server/authenticate.ts';
import { sendContinue } from '../../server/bodies/body-reading.ts';
import { toClientAddress } from '../../server/connections/addresses.ts';
import { READS_BODY_ITSELF } from '../../server/request-head.ts';
import type { HttpServices } from '../../services.ts';
import { cloudError, requireUploads } from '../cloud-error.ts';
import { getFileRequest, installFileRequests } from '../file-requests.ts';
import { toMediaType } from '../media-types.ts';
import { UPLOAD_BODY, UPLOAD_FORM, UPLOAD_WITHOUT_NAME } from '../route-schemas.ts';
import {
  checkUploadHeaders,
  lingerAfterAnswer,
  readUploadBody,
  toAnnouncedSize,
  type UploadSource,
} from './upload-body.ts';
import { FORM_LIMITS, readUploadForm } from './upload-form.ts';
import { type GivenOptions, parseUploadOptions, readOptionHeaders, refuseOptionsInQuery } from './upload-options.ts';
import { createUploadPace } from './upload-pace.ts';

/** Data of an upload known before its body is read. */
interface Upload {
  /** Owner of the file; undefined without an API key. */
  readonly userId: number | undefined;
  readonly signal: AbortSignal;
  readonly options: GivenOptions;
}

const UPLOAD = 'upload';

/**
 * Adds `POST /upload` (a form with the file in part `file`) and `PUT /upload/<name>` (the file as the body). Bytes are
 * streamed to the storage. Must be registered in a context of its own.
 */
export function addUpload(server: FastifyInstance, services: HttpServices): void {
  server.removeAllContentTypeParsers();
  server.register(multipart, { limits: FORM_LIMITS });
  server.addContentTypeParser('*', (_request, _body, done) => done(null));
  server.decorateRequest(UPLOAD, null);
  server.addHook('onRequest', (request, reply, done) => {
    lingerAfterAnswer(request, reply, services.clock);
    done();
  });
  installFileRequests(server, () => services.inFlight.uploads);
  server.addHook('onRequest', async (request) => {
    request.setDecorator<Upload>(UPLOAD, await admit(request, services));
  });
  const config = READS_BODY_ITSELF;

  server.post('/upload', { config, schema: UPLOAD_FORM }, async (request, reply) => {
    if (!request.isMultipart()) throw notMultipart();
    const { options: headerOptions } = request.getDecorator<Upload>(UPLOAD);
    const pace = createUploadPace(services.clock);
    sendContinue(request, reply);
    const form = await readUploadForm(request, pace);
    const options = () => ({ ...headerOptions, ...form.options });
    // Fails before the file is read if an option before it is wrong.
    checkOptions(options(), services, form);
    return store(form, { ...form, options }, request, services);
  });

  server.put('/upload', { config, schema: UPLOAD_WITHOUT_NAME }, async ({ url }) => {
    // With a slash curl has followed the advice already, and reads the file from a pipe.
    const advice = /^[^?]*\/(?:\?|$)/.test(url)
      ? ''
      : ' With curl, end the address with a slash: curl -T <file> …/upload/';
    throw cloudError(400, 'name_required', `Put the file name at the end of the address: PUT /upload/<name>.${advice}`);
  });

  server.put<{ Params: { name: string } }, typeof READS_BODY_ITSELF>(
    '/upload/:name',
    { config, schema: UPLOAD_BODY },
    async (request, reply) => {
      const { name } = request.params;
      const mediaType = request.headers['content-type'];
      const sizeBytes = toAnnouncedSize(request);
      const { options } = request.getDecorator<Upload>(UPLOAD);
      const source = readUploadBody(request, reply, createUploadPace(services.clock));
      return store(source, { name, mediaType, sizeBytes, options: () => options }, request, services);
    },
  );
}

/** Validates the headers before any byte of the body has arrived. */
async function admit(request: FastifyRequest, services: HttpServices): Promise<Upload> {
  const { signal } = getFileRequest(request);
  const { headers } = request;
  const credentials = { headers, route: request.routeOptions.url ?? '', address: toClientAddress(request) };
  const { uploads } = services.administration;
  requireUploads(uploads);
  const needsKey = uploads === 'key' || hasApiKey(headers);
  const identity = needsKey ? await authenticate(services, credentials) : undefined;
  const isForm = request.method === 'POST';
  if (isForm && !/^\s*multipart\/form-data\s*;/i.test(headers['content-type'] ?? '')) throw notMultipart();
  checkUploadHeaders(request, services.storage.maxFileBytes, isForm ? MAX_FORM_OVERHEAD_BYTES : 0);
  refuseOptionsInQuery(request.query);
  const options = readOptionHeaders(request.raw);
  parseUploadOptions(options, services.clock.now());
  return { userId: identity?.userId, signal, options };
}

/** Maximum size of a form in excess of its file. */
const MAX_FORM_OVERHEAD_BYTES = FORM_LIMITS.parts * (FORM_LIMITS.fieldSize + FORM_LIMITS.headerSize);

function notMultipart() {
  return cloudError(
    415,
    'unsupported_media_type',
    'Send the file as multipart/form-data in a part named "file", or as the body of PUT /upload/<name>.',
  );
}

interface UploadFacts extends Pick<UploadOptions, 'name' | 'mediaType' | 'sizeBytes'> {
  /** Returns the options so far; those of a form may follow the file. */
  readonly options: () => GivenOptions;
}

/** @throws HttpError 400 */
function checkOptions(options: GivenOptions, { clock }: HttpServices, source: UploadSource): void {
  try {
    parseUploadOptions(options, clock.now());
  } catch (error) {
    source.discard();
    throw error;
  }
}

async function store(source: UploadSource, facts: UploadFacts, request: FastifyRequest, services: HttpServices) {
  const { userId, signal } = request.getDecorator<Upload>(UPLOAD);
  try {
    const file = await services.storage.upload(
      source.bytes,
      {
        name: facts.name,
        mediaType: toMediaType(facts.mediaType, facts.name),
        sizeBytes: facts.sizeBytes,
        readSettings: () => parseUploadOptions(facts.options(), services.clock.now()),
        userId,
        address: toClientAddress(request),
      },
      signal,
    );
    return toAnswer(file, services.cloudUrl());
  } finally {
    source.discard();
  }
}

function toAnswer(file: UploadedFile, cloudUrl: string) {
  return {
    ok: true,
    owner: file.ownerKey,
    url: `${cloudUrl}/file/${file.id}`,
    id: file.id,
    name: file.name,
    size: file.sizeBytes,
    sha256: file.sha256,
    ...(file.expiresAt ? { expires_at: file.expiresAt.toISOString() } : undefined),
  };
}
