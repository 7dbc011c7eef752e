import { hash, randomBytes } from 'node:crypto';

/** `prefix` followed by 128 random bits in base64url, 22 characters: `chatcmpl-…`, `req_…`. */
export function createId(prefix: string): string {
  return `${prefix}${randomBytes(16).toString('base64url')}`;
}

/** 256 random bits in base64url behind a prefix that lets people and scanners recognise the kind of secret. */
export function createSecret(prefix: string): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`;
}

/** SHA-256 of a secret as lowercase hex: the only form in which secrets are kept. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}
