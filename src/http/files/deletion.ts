import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { HttpServices } from '../services.ts';
import { cloudError, fileNotFound } from './cloud-error.ts';
import { isPrefetch } from './download/previews.ts';
import { readFileId } from './file-id.ts';
import { DELETION } from './route-schemas.ts';

interface FileParams {
  readonly Params: { readonly id: string };
}

const DELETION_BY_GET = {
  ...DELETION,
  summary: 'Delete by GET',
  description: 'For old clients. Prefetching browsers delete nothing.',
};

/** Adds `DELETE /file/<id>` and `GET /delete/<id>`, with the owner key in `Authorization`. */
export function addDeletion(server: FastifyInstance, services: HttpServices): void {
  const remove = createRemoval(services);
  server.delete<FileParams>('/file/:id', { schema: DELETION }, remove);
  // No HEAD route: its response could only be known by deleting the file.
  server.get<FileParams>('/delete/:id', { exposeHeadRoute: false, schema: DELETION_BY_GET }, (request, reply) => {
    if (isPrefetch(request.headers)) throw cloudError(403, 'prefetch_refused', 'Nothing is deleted by a prefetch.');
    reply.header('cache-control', 'no-store');
    return remove(request);
  });
}

/** Returns the handler that deletes a file if the request contains its owner key. */
export function createRemoval({ storage }: HttpServices) {
  return async (request: FastifyRequest<FileParams>) => {
    const ownerKey = toOwnerKey(request.headers.authorization);
    const id = readFileId(request.params.id);
    const outcome = id === undefined ? 'unknown' : await storage.delete(id, { ownerKey });
    if (outcome === 'unknown') throw fileNotFound();
    if (outcome === 'forbidden') throw cloudError(403, 'wrong_owner_key', 'This is not the owner key of the file.');
    return { ok: true };
  };
}

/** Returns the owner key, sent alone or after `Bearer`. @throws HttpError 401, 403 */
function toOwnerKey(authorization: string | undefined): string {
  const key = /^(?:bearer +)?(\S{1,512}) *$/i.exec(authorization ?? '')?.[1];
  if (key !== undefined) return key;
  if (authorization) throw cloudError(403, 'wrong_owner_key', 'This is not the owner key of the file.');
  throw cloudError(401, 'owner_key_required', 'Send the owner key of the file in the header "Authorization".', {
    'www-authenticate': 'Bearer',
  });
}
