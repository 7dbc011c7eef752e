import type { MessageEntity } from '@grammyjs/types';
import type { FormattedText } from '../../../../src/telegram/markdown/index.ts';

const TAGS: { readonly [type: string]: string } = {
  bold: 'b',
  italic: 'i',
  underline: 'u',
  strikethrough: 's',
  spoiler: 'tg-spoiler',
  code: 'code',
  blockquote: 'blockquote',
};

/** Returns the text in Telegram's HTML, for Telegram's own parser to read. */
export function toTelegramHtml({ text, entities }: FormattedText): string {
  const opens = new Map<number, string[]>();
  const closes = new Map<number, string[]>();
  for (const entity of entities) {
    const [open, close] = toTags(entity);
    opens.set(entity.offset, [...(opens.get(entity.offset) ?? []), open]);
    const end = entity.offset + entity.length;
    closes.set(end, [close, ...(closes.get(end) ?? [])]);
  }
  let html = '';
  for (let offset = 0; offset <= text.length; offset++) {
    html += (closes.get(offset) ?? []).join('') + (opens.get(offset) ?? []).join('');
    html += escapeHtml(text[offset] ?? '');
  }
  return html;
}

function toTags(entity: MessageEntity): [open: string, close: string] {
  if (entity.type === 'text_link') return [`<a href="${escapeHtml(entity.url)}">`, '</a>'];
  if (entity.type === 'pre') {
    const { language } = entity;
    return language ? [`<pre><code class="language-${escapeHtml(language)}">`, '</code></pre>'] : ['<pre>', '</pre>'];
  }
  if (entity.type === 'expandable_blockquote') return ['<blockquote expandable>', '</blockquote>'];
  const tag = TAGS[entity.type];
  if (!tag) throw new Error(`the renderer makes no ${entity.type}`);
  return [`<${tag}>`, `</${tag}>`];
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);
}
