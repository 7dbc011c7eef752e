import type { Message, RichBlock, Update } from '@grammyjs/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listUnreadParts, readRichMessage, withPlainText } from '../../../src/telegram/rich-message-text.ts';

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

  it('stays unchanged if it has none', () => {
    const plain = update({ message_id: 1, date: 0, chat, text: 'Hi' } as Message);
    expect(withPlainText(plain)).toEqual(plain);
    expect(() => withPlainText({ update_id: 1, message: 'x' } as unknown as Update)).not.toThrow();
  });

  it('has a quotation with blocks or with a text, whatever its type', () => {
    for (const type of ['blockquote', 'expandable_blockquote', 'pullquote'])
      for (const content of [{ text: 'Ding' }, { blocks: [paragraph('Ding')] }]) {
        const read = withPlainText(update(rich({ type, ...content, credit: 'A bell' } as unknown as RichBlock)));
        expect(read.message).toMatchObject({ text: 'Ding\n— A bell', entities: [{ type: 'blockquote', length: 4 }] });
        expect(listUnreadParts(read)).toEqual([]);
      }
  });

  it.each([
    ['null', null, ['object']],
    ['a list of another shape', { type: 'list', items: 5 }, ['list']],
    ['a paragraph without a text', { type: 'paragraph' }, ['paragraph']],
    ['a paragraph with a number', { type: 'paragraph', text: 5 }, ['paragraph']],
    ['a heading with an object', { type: 'heading', text: {} }, ['object']],
    ['a formula of another shape', { type: 'mathematical_expression', tex: 'x' }, ['mathematical_expression']],
    ['a table of another shape', { type: 'table', rows: [] }, ['table']],
    ['details of another shape', { type: 'details', body: [] }, ['details']],
    ['a map of another shape', { type: 'map', point: [1, 2] }, ['map']],
    ['a photo of another shape', { type: 'photo', photo: { large: 'x' } }, ['photo']],
    ['a document of another shape', { type: 'document', document: null }, ['document']],
    ['a block of an unknown type', { type: 'hologram', depth: 3 }, ['hologram']],
  ])('loses only what cannot be read, and names it: %s', (_, block, types) => {
    const message = rich(paragraph('Before'), block as RichBlock, paragraph('After'));
    const read = withPlainText(
      update({ ...message, reply_to_message: rich(block as RichBlock, paragraph('Old')) } as Message),
    );
    expect(read.message?.text).toBe('Before\n\nAfter');
    expect(read.message?.reply_to_message).toMatchObject({ text: 'Old' });
    expect(listUnreadParts(read)).toEqual([...types, ...types]);
  });

  it('loses only the items, cells and words that cannot be read', () => {
    const message = rich(
      {
        type: 'list',
        items: [{ label: '1.', blocks: [paragraph('Cast')] }, { label: '2.' }, null],
      } as unknown as RichBlock,
      { type: 'table', cells: [[cell('Year'), { text: 7 }, cell('Tons')]] } as unknown as RichBlock,
      paragraph(['They ', { type: 'bold', text: null }, null, 'ring'] as unknown as string),
    );
    const read = withPlainText(update(message));
    expect(read.message?.text).toMatch(/^1\. Cast\n+Year \| {2}\| Tons\n\nThey ring$/);
    expect(listUnreadParts(read)).not.toEqual([]);
  });

  it('has no text if nothing can be read', () => {
    for (const junk of [
      null,
      7,
      'x',
      [],
      {},
      { blocks: null },
      { blocks: [null] },
      { blocks: [{ type: 'list', items: 5 }] },
    ]) {
      const strange = { update_id: 1, message: { chat, message_id: 1, rich_message: junk } } as unknown as Update;
      expect(withPlainText(strange).message).toMatchObject({ chat, message_id: 1 });
      expect(withPlainText(strange).message).not.toHaveProperty('text');
      if (junk !== null) expect(listUnreadParts(withPlainText(strange))).toHaveLength(1);
    }
  });

  it('keeps every readable block beside any others', () => {
    const strange = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          type: fc.constantFrom('list', 'table', 'map', 'heading', 'photo'),
          text: fc.jsonValue(),
          items: fc.jsonValue(),
          cells: fc.jsonValue(),
          blocks: fc.jsonValue(),
        },
        { requiredKeys: ['type'] },
      ),
    );
    fc.assert(
      fc.property(fc.array(strange, { maxLength: 5 }), fc.nat({ max: 5 }), (blocks, at) => {
        const all = blocks.toSpliced(at, 0, { type: 'paragraph', text: 'A bell' });
        const { message } = withPlainText(update(rich(...(all as unknown as RichBlock[]))));
        expect(message?.text ?? message?.caption).toContain('A bell');
      }),
    );
  });
});
