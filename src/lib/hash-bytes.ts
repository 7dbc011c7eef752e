/** Returns the SHA-256 of bytes in hexadecimal. Hashes outside of the main thread, which 20 MiB would block for too long. */
export async function hashBytes(bytes: Buffer): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Buffer<ArrayBuffer>)).toString('hex');
}
