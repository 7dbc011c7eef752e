import mammoth from 'mammoth';
import type { DocumentReader } from './document-reader.ts';
import { htmlToText } from './read-html.ts';
import { checkUnpackedSize } from './unpack.ts';

/** Reads a Word document through HTML, so headings, lists and tables keep their structure for the model. */
export const readDocx: DocumentReader = async (bytes, { maxUnpackedBytes }) => {
  // The library unpacks without a limit, so the unpacked size is checked first.
  checkUnpackedSize(bytes, maxUnpackedBytes);
  const ignoreImage = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml({ buffer: bytes }, { convertImage: ignoreImage });
  return { text: htmlToText(value) };
};
