import { decodeText } from './decode-text.ts';
import type { DocumentReader } from './document-reader.ts';

/** Plain text, code, tables with commas: as it is. */
export const readPlain: DocumentReader = async (bytes) => ({ text: decodeText(bytes).trim() });
