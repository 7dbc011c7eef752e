export { type DocumentProblem, DocumentUnreadableError } from './document-error.ts';
export { createDocumentTexts, type DocumentTexts } from './document-texts.ts';
