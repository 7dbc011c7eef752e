import type { MessageEntity } from '@grammyjs/types';
import { toLinkEntity } from './check-link.ts';
import type { FormattedText } from './formatted-text.ts';
import { markupErrorAt } from './markup-error.ts';
import { readCodeStart } from './read-code-start.ts';

/**
 * Parses the legacy `Markdown` parse mode like `parse_markdown` of TDLib. Entities do not nest. @throws ApiError 400
 */
export function parseMarkdown(markdown: string): FormattedText {
  const entities: MessageEntity[] = [];
  let text = '';
  let at = 0;
  while (at < markdown.length) {
    const mark = markdown.charAt(at);
    if (mark === '\\' && /^[_*`[]/.test(markdown.slice(at + 1))) {
      text += markdown.charAt(at + 1);
      at += 2;
      continue;
    }
    if (!'_*`['.includes(mark)) {
      text += mark;
      at++;
      continue;
    }
    const isBlock = markdown.startsWith('```', at);
    const block = isBlock ? readCodeStart(markdown, at + 3) : { language: undefined, contentAt: at + 1 };
    const endMark = isBlock ? '```' : mark === '[' ? ']' : mark;
    const endsAt = markdown.indexOf(endMark, block.contentAt);
    if (endsAt < 0) throw markupErrorAt(markdown, at, "Can't find end of the entity starting");
    const content = markdown.slice(block.contentAt, endsAt);
    const place = { offset: text.length, length: content.length };
    text += content;
    at = endsAt + endMark.length;
    if (content === '') continue;
    if (mark === '_') entities.push({ type: 'italic', ...place });
    else if (mark === '*') entities.push({ type: 'bold', ...place });
    else if (isBlock) {
      entities.push({ type: 'pre', ...place, ...(block.language === undefined ? {} : { language: block.language }) });
    } else if (mark === '`') entities.push({ type: 'code', ...place });
    else {
      let address = content;
      if (markdown.charAt(at) === '(') {
        const addressEnd = markdown.indexOf(')', at);
        address = markdown.slice(at + 1, addressEnd < 0 ? undefined : addressEnd);
        at = addressEnd < 0 ? markdown.length : addressEnd + 1;
      }
      const link = toLinkEntity(address, place.offset, place.length);
      if (link) entities.push(link);
    }
  }
  return { text, entities };
}
