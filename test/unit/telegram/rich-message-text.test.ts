import type { Message, RichBlock, Update } from '@grammyjs/types';
import { describe, expect, it } from 'vitest';
import { readRichMessage, withPlainText } from '../../../src/telegram/rich-message-text.ts';

const paragraph = (text: Extract<RichBlock, { type: 'paragraph' }>['text']): RichBlock => ({ type: 'paragraph', text });
const cell = (text: string) => ({ text, align: 'left', valign: 'top' }) as const;
const read = (...blocks: RichBlock[]) => readRichMessage({ blocks });
const chat = { id: 1, type: 'private', first_name: 'Ann' } as const;
const rich = (...blocks: RichBlock[]): Message =>
  ({ message_id: 1, date: 0, chat, rich_message: { blocks } }) as Message;
const update = (message: Message): Update => ({ update_id: 1, message }) as Update;

describe('the text of a rich message', () => {
  it('has an empty line between blocks and a line for each item and row', () => {
    const { text } = read(
      { type: 'heading', size: 1, text: 'Bells' },
      paragraph(['They are ', { type: 'bold', text: 'heavy' }, '.']),
      {
        type: 'list',
        items: [
          { label: '1.', blocks: [paragraph('Cast')] },
          { label: '2.', blocks: [paragraph('Hang')] },
        ],
      },
      {
        type: 'table',
        cells: [
          [cell('Year'), cell('Tons')],
          [cell('1812'), cell('1')],
        ],
      },
      { type: 'pre', text: 'ring()', language: 'js' },
      { type: 'mathematical_expression', expression: 'm = 1' },
      { type: 'details', summary: 'More', blocks: [paragraph('Less')] },
      { type: 'blockquote', blocks: [paragraph('Ding')], credit: 'A bell' },
    );
    expect(text).toBe(
      'Bells\n\nThey are heavy.\n\n1. Cast\n2. Hang\n\nYear | Tons\n1812 | 1\n\nring()\n\n$$m = 1$$\n\nMore\nLess\n\nDing\n— A bell',
    );
  });

  it('has checkboxes, formulas, emoji and locations as text', () => {
    const { text } = read(
      { type: 'list', items: [{ label: '•', has_checkbox: true, is_checked: true, blocks: [paragraph('Done')] }] },
      paragraph([
        { type: 'mathematical_expression', expression: 'x^2' },
        ' ',
        { type: 'custom_emoji', custom_emoji_id: '1', alternative_text: '👍' },
      ]),
      {
        type: 'map',
        location: { latitude: 1, longitude: 2 },
        zoom: 13,
        width: 1,
        height: 1,
        caption: { text: 'Here' },
      },
    );
    expect(text).toBe('• [x] Done\n\n$x^2$ 👍\n\n[location] 1, 2\nHere');
  });

  it('has entities with offsets in UTF-16 units', () => {
    const { text, entities } = read(
      paragraph('👍👍'),
      paragraph([
        'See ',
        { type: 'url', text: 'this', url: 'https://a.example/x' },
        ' and ',
        { type: 'url', text: 'https://b.example', url: 'https://b.example' },
        ', ',
        { type: 'mention', text: '@switch_bot', username: 'switch_bot' },
      ]),
    );
    const shown = entities.map(({ type, offset, length }) => [type, text.slice(offset, offset + length)]);
    expect(shown).toEqual([
      ['text_link', 'this'],
      ['url', 'https://b.example'],
      ['mention', '@switch_bot'],
    ]);
    expect(entities[0]).toMatchObject({ url: 'https://a.example/x' });
  });

  it('is bounded in length and depth', () => {
    let deep: RichBlock = paragraph('bottom');
    for (let level = 0; level < 5000; level++) deep = { type: 'blockquote', blocks: [deep] };
    expect(read(deep).text).toBe('');
    const { text } = read(...Array.from({ length: 100 }, () => paragraph('x'.repeat(10_000))));
    expect(text).toHaveLength(40_000);
  });
});

describe('an update with rich messages', () => {
  it('becomes one with plain texts, including replies', () => {
    const message = { ...rich(paragraph('New')), reply_to_message: rich(paragraph('Old')) } as Message;
    expect(withPlainText(update(message))).toMatchObject({
      message: { text: 'New', reply_to_message: { text: 'Old' } },
    });
    expect(withPlainText({ update_id: 1, edited_message: rich(paragraph('Edited')) } as Update)).toMatchObject({
      edited_message: { text: 'Edited' },
    });
  });

  it('has its first file, with the text as caption', () => {
    const document = { file_id: 'f', file_unique_id: 'u', file_name: 'a.pdf' };
    const message = rich({ type: 'document', document, caption: { text: 'Read this' } }, paragraph('please'));
    expect(withPlainText(update(message)).message).toMatchObject({ document, caption: 'Read this\n\nplease' });
    expect(withPlainText(update(message)).message).not.toHaveProperty('text');
  });

  it('stays unchanged if it has none, or unreadable ones', () => {
    const plain = update({ message_id: 1, date: 0, chat, text: 'Hi' } as Message);
    expect(withPlainText(plain)).toEqual(plain);
    for (const junk of [
      null,
      7,
      'x',
      [],
      { blocks: null },
      { blocks: [null] },
      { blocks: [{ type: 'list', items: 5 }] },
    ]) {
      const strange = { update_id: 1, message: { chat, message_id: 1, rich_message: junk } } as unknown as Update;
      expect(() => withPlainText(strange)).not.toThrow();
    }
    expect(() => withPlainText({ update_id: 1, message: 'x' } as unknown as Update)).not.toThrow();
  });
});
