import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Requester } from '../../../core/generation/index.ts';
import { invalidRequest } from '../../http-error.ts';
import { type Form, findForm } from '../forms/forms.ts';

export const VISIBLE_ASCII = /^[!-~]{1,255}$/;

/**
 * Returns the SHA-256 of a request's route and its idempotency key. An API key that may use certain models only has
 * idempotency keys of its own, so that it never gets the answers to its user's other keys.
 * @throws HttpError 400 if the key is not 1 to 255 visible ASCII characters.
 */
export function hashKey(
  { routeOptions, params }: FastifyRequest,
  { keyId, allowedModels }: Pick<Requester, 'keyId' | 'allowedModels'>,
  key: unknown,
): string {
  if (typeof key !== 'string' || !VISIBLE_ASCII.test(key)) {
    throw invalidRequest("The header 'Idempotency-Key' must be 1 to 255 visible ASCII characters without spaces.");
  }
  const own = allowedModels === undefined ? [] : [keyId];
  return hash('sha256', JSON.stringify([routeOptions.url, params, key, ...own]), 'hex');
}

/** Returns the SHA-256 of a body; of a form, that of its parts, because clients choose a new boundary for a retry. */
export async function hashBody(request: FastifyRequest): Promise<string> {
  const form = findForm(request);
  if (form) return hashForm(form);
  return hashBytes(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
}

async function hashForm({ fields, files }: Form): Promise<string> {
  const hashedFiles = await Promise.all(files.map(async (file) => ({ ...file, bytes: await hashBytes(file.bytes) })));
  return hashBytes(Buffer.from(JSON.stringify({ fields, files: hashedFiles })));
}

/** Hashes outside of the main thread, which 20 MiB would block for too long. */
async function hashBytes(bytes: Buffer): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Buffer<ArrayBuffer>)).toString('hex');
}
