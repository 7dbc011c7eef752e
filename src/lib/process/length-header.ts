/** Size of the header of each message between a process and its child. It has the length of the message. */
export const LENGTH_HEADER_BYTES = 4;

export function toLengthHeader(sizeBytes: number): Buffer {
  const header = Buffer.alloc(LENGTH_HEADER_BYTES);
  header.writeUInt32LE(sizeBytes);
  return header;
}
