import type { AttachmentText, StoredMessage } from '../../core/conversations/index.ts';
import type { Photo } from '../inputs/photo.ts';
import type { LoadedPdf } from './load-pdfs.ts';

/** One message of a prompt while it is built. Each pass adds to it: read, include, fit, send. */
export interface PromptMessage {
  /** The beginning of an answer to continue is like a stored answer below the question. */
  readonly stored: StoredMessage;
  /** Reminder that was sent before the next question, and goes with it. */
  readonly isReminder: boolean;
  /** A model has written this message of the user after it had read text of others. */
  readonly isComposed: boolean;
  /** Texts that precede the message and are not part of it. */
  readonly notes: readonly string[];
  /** Text for the model: as stored, later with the texts of files. */
  readonly text: string;
  /** Texts of its attachments that were read. */
  readonly fileTexts: readonly AttachmentText[];
  /** Documents that are included only in part. */
  readonly cuts: readonly { readonly name: string; readonly share: number }[];
  /** PDF files that go to the model as files or as images. */
  readonly pdfs: readonly LoadedPdf[];
  /** Images that go to the model. */
  readonly photos: readonly Photo[];
}

export function toPromptMessage(stored: StoredMessage, more: Partial<PromptMessage> = {}): PromptMessage {
  const isComposed = stored.role === 'user' && stored.extras.hasForeignText === true;
  const nothing = { notes: [], fileTexts: [], cuts: [], pdfs: [], photos: [] };
  return { stored, isReminder: false, isComposed, text: stored.content, ...nothing, ...more };
}
