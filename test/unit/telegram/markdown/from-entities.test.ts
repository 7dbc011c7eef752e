import type { MessageEntity } from '@grammyjs/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromEntities, renderMarkdown } from '../../../../src/telegram/markdown/index.ts';

/** Returns the entity of each word in brackets: `[bold]`. */
function format(text: string, ...entities: (Omit<MessageEntity, 'offset' | 'length'> & { on: string })[]): string {
  return fromEntities({
    text,
    entities: entities.map(
      ({ on, ...entity }) => ({ ...entity, offset: text.indexOf(on), length: on.length }) as MessageEntity,
    ),
  });
}

describe('a formatted text as Markdown', () => {
  it.each([
    ['bold', 'a **bold** word'],
    ['italic', 'a *italic* word'],
    ['underline', 'a <u>underline</u> word'],
    ['strikethrough', 'a ~~strikethrough~~ word'],
    ['spoiler', 'a ||spoiler|| word'],
    ['code', 'a `code` word'],
    ['hashtag', 'a hashtag word'],
    ['a kind of tomorrow', 'a a kind of tomorrow word'],
  ])('has marks for %s', (type, expected) => {
    expect(format(`a ${type} word`, { type: type as 'bold', on: type })).toBe(expected);
  });

  it('has the addresses of hidden links, once', () => {
    const link = (url: string, on: string) => ({ type: 'text_link' as const, url, on });
    expect(format('Read this now', link('https://a.example/x?y=1', 'this'))).toBe(
      'Read this (https://a.example/x?y=1) now',
    );
    expect(format('Read a.example', link('https://a.example/', 'a.example'))).toBe('Read a.example');
    expect(format('Ask Bob', link('tg://user?id=1', 'Bob'))).toBe('Ask Bob');
    expect(format('Run it', link('javascript', 'it'))).toBe('Run it');
  });

  it('has code blocks with their language on lines of their own', () => {
    const pre = (on: string, language = '') => ({ type: 'pre' as const, on, language });
    expect(format('See\nlet x\nthere', pre('let x', 'js'))).toBe('See\n```js\nlet x\n```\nthere');
    expect(format('See let x there', pre('let x'))).toBe('See \n```\nlet x\n```\n there');
    expect(format('a ``` b', pre('a ``` b', 'md\nx'))).toBe('````\na ``` b\n````');
    expect(format('if `a` then', { type: 'code', on: '`a`' })).toBe('if `` `a` `` then');
    expect(format('one\ntwo', { type: 'code', on: 'one\ntwo' })).toBe('```\none\ntwo\n```');
  });

  it('has quotes that end where they end', () => {
    const text = 'He said\nyes\nno\nand left';
    expect(format(text, { type: 'blockquote', on: 'yes\nno' })).toBe('He said\n> yes\n> no\n\nand left');
    expect(format(text, { type: 'expandable_blockquote', on: 'yes\nno' }, { type: 'bold', on: 'no\nand' })).toBe(
      'He said\n> yes\n> **no**\n\n**and** left',
    );
  });

  it('nests marks, and ends them with the line and before white space', () => {
    expect(format('very bold words', { type: 'bold', on: 'very bold' }, { type: 'italic', on: 'bold' })).toBe(
      '**very *bold*** words',
    );
    expect(format('one \n\n two', { type: 'bold', on: 'one \n\n two' })).toBe('**one** \n\n **two**');
    expect(format('👍 ok 👍', { type: 'bold', on: 'ok' })).toBe('👍 **ok** 👍');
  });

  it('is the inverse of rendering', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    const type = fc.constantFrom('bold', 'italic', 'strikethrough', 'code', 'text_link', 'plain', 'blockquote', 'pre');
    const piece = fc.record({ words: fc.array(word, { minLength: 1, maxLength: 3 }), type });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
        let text = '';
        const entities: MessageEntity[] = [];
        for (const { words, type: kind } of pieces) {
          const isBlock = kind === 'pre' || kind === 'blockquote';
          if (text !== '')
            text += isBlock || entities.at(-1)?.type === 'pre' || entities.at(-1)?.type === 'blockquote' ? '\n\n' : ' ';
          const [offset, { length }] = [text.length, words.join(' ')];
          text += words.join(' ');
          if (kind !== 'plain' && kind !== 'text_link') entities.push({ type: kind, offset, length } as MessageEntity);
          else entities.push({ type: 'hashtag', offset, length });
        }
        const rendered = renderMarkdown(fromEntities({ text, entities }));
        expect(rendered.text.replaceAll(/\s+/g, ' ')).toBe(text.replaceAll(/\s+/g, ' '));
        const shown = (one: { text: string; entities: readonly MessageEntity[] }) =>
          one.entities
            .filter((entity) => entity.type !== 'hashtag')
            .map((entity) => [entity.type, one.text.slice(entity.offset, entity.offset + entity.length)]);
        expect(shown(rendered)).toEqual(shown({ text, entities }));
      }),
    );
  });

  it('is bounded in time for thousands of quotes with formatting across them', () => {
    const text = 'ab\n'.repeat(2000);
    const entities = Array.from({ length: 2000 }, (_, index) =>
      index % 2 === 0
        ? { type: 'bold' as const, offset: 0, length: 190 }
        : { type: 'blockquote' as const, offset: 3 * index, length: 2 },
    );
    const before = process.cpuUsage().user;
    const written = fromEntities({ text, entities });
    expect(process.cpuUsage().user - before).toBeLessThan(500_000);
    expect(written.match(/^> /gm)).toHaveLength(1000);
  });

  it('keeps all words and is bounded in time for any entities', () => {
    const types = fc.constantFrom('bold', 'code', 'pre', 'text_link', 'blockquote', 'spoiler', 'x');
    const number = fc.oneof(fc.integer({ min: -5, max: 50_000 }), fc.double());
    const entity = fc.record({ type: types, offset: number, length: number, url: fc.constant('https://a.example/x') });
    const letters = (written: string) => written.replaceAll(' (https://a.example/x)', '').replaceAll(/[^w\d]/g, '');
    const text = Array.from({ length: 8000 }, (_, index) => `w${index}${index % 7 === 0 ? '\n' : ' '}`).join('');
    const cpuMs = () => process.cpuUsage().user / 1000;
    let slowest = 0;
    fc.assert(
      fc.property(fc.array(entity, { maxLength: 100 }), (some) => {
        const entities = Array.from({ length: 40 }, () => some).flat() as MessageEntity[];
        const before = cpuMs();
        const written = fromEntities({ text, entities });
        slowest = Math.max(slowest, cpuMs() - before);
        expect(letters(written)).toBe(letters(text));
      }),
      { numRuns: 30 },
    );
    expect(slowest).toBeLessThan(500);
  });
});
