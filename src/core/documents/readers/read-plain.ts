import { decodeText } from './decode-text.ts';
import type { DocumentReader } from './document-reader.ts';

/** Reads plain text, source code and CSV unchanged. */
export const readPlain: DocumentReader = async (bytes) => ({ text: decodeText(bytes).trim() });
