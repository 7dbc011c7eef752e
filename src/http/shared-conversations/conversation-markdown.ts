import type { SharedPage } from '../../core/shared-conversations/index.ts';

/** Converts a shared conversation to a Markdown document, with the original text. Images are only in the JSON. */
export function toConversationMarkdown({ title, conversation }: SharedPage): string {
  const chunks = conversation.messages.flatMap(({ role, model, content, pictures = [], omittedCount = 0 }) => {
    const fileCount = pictures.length + omittedCount;
    const files = fileCount > 0 ? [`_Files not included in this document: ${fileCount}_`] : [];
    return [`## ${role === 'user' ? 'Question' : (model ?? 'Answer')}`, ...files, content];
  });
  return `${[`# ${title}`, ...chunks].filter((chunk) => chunk !== '').join('\n\n')}\n`;
}
