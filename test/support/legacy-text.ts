const TONES = /[\u0300\u0301\u0303\u0309\u0323]/g;
const tables = new Map<string, ReadonlyMap<string, Buffer>>();

/** Encodes a text in an older encoding, by the inverse of its decoder. @throws an Error if a character is not in it */
export function encodeLegacy(text: string, encoding: string): Buffer {
  if (encoding === 'iso-2022-jp') return encodeIso2022(text);
  const table = tables.get(encoding) ?? createTable(encoding);
  tables.set(encoding, table);
  const encodeOne = (character: string): Buffer => {
    const known = character <= '\x7f' ? Buffer.from(character) : table.get(character);
    if (known) return known;
    // Vietnamese has its tone marks as characters of their own.
    const parts = character.normalize('NFD');
    const base = parts.replaceAll(TONES, '').normalize('NFC');
    if (base === character) throw new Error(`${character} is not in ${encoding}`);
    return Buffer.concat([base, ...(parts.match(TONES) ?? [])].map(encodeOne));
  };
  return Buffer.concat([...text].map(encodeOne));
}

function createTable(encoding: string): ReadonlyMap<string, Buffer> {
  const decoder = new TextDecoder(encoding);
  const table = new Map<string, Buffer>();
  const add = (bytes: Buffer) => {
    const character = decoder.decode(bytes);
    if ([...character].length === 1 && !/[\ufffd\0-\x7f]/.test(character) && !table.has(character))
      table.set(character, bytes);
  };
  for (let lead = 0x80; lead <= 0xff; lead++) add(Buffer.of(lead));
  if (!/^(?:windows|iso|koi8|ibm)/.test(encoding))
    for (let lead = 0x81; lead <= 0xfe; lead++)
      for (let trail = 0x40; trail <= 0xfe; trail++) add(Buffer.of(lead, trail));
  return table;
}

/** Writes Japanese between escape sequences, with the bytes of EUC-JP without their high bits. */
function encodeIso2022(text: string): Buffer {
  const parts = text.match(/[\0-\x7f]+|[^\0-\x7f]+/g) ?? [];
  return Buffer.concat(
    parts.map((part) =>
      part <= '\x7f'
        ? Buffer.from(part)
        : Buffer.concat([
            Buffer.from('\x1b$B'),
            encodeLegacy(part, 'euc-jp').map((byte) => byte & 0x7f),
            Buffer.from('\x1b(B'),
          ]),
    ),
  );
}
