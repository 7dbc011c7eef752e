import { hash, randomBytes } from 'node:crypto';

/** Returns `prefix` and 128 random bits in base64url (22 characters): `chatcmpl-…`, `req_…`. */
export function createId(prefix: string): string {
  return `${prefix}${randomBytes(16).toString('base64url')}`;
}

/**
 * Returns 256 random bits in base64url after a prefix by which operators and secret scanners recognize the kind of secret.
 */
export function createSecret(prefix: string): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`;
}

/** Returns the SHA-256 of a secret in lowercase hex, the only form in which secrets are stored. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}
