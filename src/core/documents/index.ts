export { type DocumentProblem, DocumentUnreadableError } from './document-error.ts';
export { isPdf, isScanned } from './document-kind.ts';
export { createDocumentTexts, type DocumentTexts } from './document-texts.ts';
