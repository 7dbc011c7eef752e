import type { AttachmentText } from '../../core/conversations/index.ts';
import type { BotServices } from '../kit/services.ts';
import { addContext } from './add-context.ts';
import type { AnswerRequest } from './answer-request.ts';
import type { LoadedPdf } from './load-pdfs.ts';

/** Reports once, with its question, a scanned document of which the model does not get all pages. */
export async function reportUnseenPages(
  services: BotServices,
  request: AnswerRequest,
  texts: readonly AttachmentText[],
  pdfs: readonly LoadedPdf[],
): Promise<void> {
  const { question } = request;
  const lines = texts
    .filter(({ messageId }) => messageId === question.id)
    .flatMap(({ position, text, pageCount }) => {
      const file = question.attachments[position];
      const sentPages = pdfs.find((pdf) => pdf.messageId === question.id && pdf.position === position)?.sentPages;
      if (pageCount === undefined || !file || !('name' in file) || (sentPages === undefined && text !== '')) return [];
      if (sentPages === undefined || sentPages < pageCount)
        return [request.texts.inputs.unseenPages(file.name, sentPages ?? 0, pageCount)];
      return [];
    });
  if (lines.length > 0) await addContext(services, request, { text: lines.join('\n') });
}
