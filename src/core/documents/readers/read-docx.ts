import mammoth from 'mammoth';
import type { DocumentReader } from './document-reader.ts';
import { htmlToText } from './read-html.ts';
import { unpack } from './unpack.ts';

/** A Word document: by way of HTML, because headings, lists and tables tell a model what belongs together. */
export const readDocx: DocumentReader = async (bytes, { maxUnpackedBytes }) => {
  // The library unpacks whatever there is, so its size is looked at before.
  unpack(bytes, maxUnpackedBytes, () => false);
  const ignoreImage = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml({ buffer: bytes }, { convertImage: ignoreImage });
  return { text: htmlToText(value) };
};
