import { hash, randomBytes, randomUUID } from 'node:crypto';

/** Returns 122 random bits in base64url (22 characters), after a prefix such as `chatcmpl-`. */
export function createId(prefix = ''): string {
  // Node keeps a pool of random bytes for these, which takes half the time of asking for some each time.
  return `${prefix}${Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url')}`;
}

/**
 * Returns 256 random bits in base64url after a prefix by which operators and secret scanners recognize the kind of secret.
 */
export function createSecret(prefix = ''): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`;
}

/** Returns the SHA-256 of a secret in lowercase hex, the only form in which secrets are stored. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

const HASH_LENGTH = 8;

/** Cuts a text to a maximum length. Cut texts end with a hash of the whole, so that different ones stay different. */
export function shortenWithHash(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - HASH_LENGTH - 1)}_${toShortHash(text)}`;
}

/** Returns eight hexadecimal digits. */
export function toShortHash(text: string): string {
  return hash('sha256', text, 'hex').slice(0, HASH_LENGTH);
}
