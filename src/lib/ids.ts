import { hash, randomBytes, randomFillSync } from 'node:crypto';

/** Bytes for so many ids are asked for at once: asking the system for each costs many times as much. */
const STOCK_OF_IDS = 256;
const ID_BYTES = 16;
const stock = Buffer.allocUnsafeSlow(STOCK_OF_IDS * ID_BYTES);
let used = stock.length;

/** `prefix` followed by 128 random bits in base64url, 22 characters: `chatcmpl-…`, `req_…`. */
export function createId(prefix: string): string {
  if (used === stock.length) {
    randomFillSync(stock);
    used = 0;
  }
  const id = stock.toString('base64url', used, used + ID_BYTES);
  // An id that is known to nobody else must not stay in memory longer than its owner wants.
  stock.fill(0, used, used + ID_BYTES);
  used += ID_BYTES;
  return `${prefix}${id}`;
}

/** 256 random bits in base64url behind a prefix that lets people and scanners recognise the kind of secret. */
export function createSecret(prefix: string): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`;
}

/** SHA-256 of a secret as lowercase hex: the only form in which secrets are kept. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}
