import type { MessageEntity } from '@grammyjs/types';
import { execute } from 'tdl';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../../src/lib/json/json.ts';
import { type FormattedText, paginateMarkdown, renderMarkdown } from '../../../../src/telegram/markdown/index.ts';
import { loadTdlib } from '../../../support/hosts/tdlib.ts';
import { corpus, listPrefixLengths } from './corpus.ts';

// Telegram repairs texts: it drops or splits entities that may not overlap and removes characters.
// A text that is returned unchanged is shown as it is. TDLib contains that code in `parseMarkdown`, so the characters of
// its Markdown are masked first.
describe.skipIf(loadTdlib() === undefined)('Telegram returns unchanged', () => {
  it.each(corpus)('%s, at every prefix', { timeout: 600_000 }, (_name, markdown) => {
    for (const length of listPrefixLengths(markdown)) {
      expectUnchanged(renderMarkdown(markdown.slice(0, length), { isPartial: length % 8 > 0 }));
    }
    for (const page of paginateMarkdown(markdown, { maxUnits: 300 })) expectUnchanged(page);
  });

  it('but not invalid texts, so that this suite can fail', () => {
    expect(() => expectUnchanged({ text: 'a\u0001b', entities: [] })).toThrow();
    const overlapping: MessageEntity[] = [
      { type: 'bold', offset: 0, length: 4 },
      { type: 'code', offset: 1, length: 2 },
    ];
    expect(() => expectUnchanged({ text: 'abcd', entities: overlapping })).toThrow();
  });
});

function expectUnchanged(rendered: FormattedText): void {
  if (rendered.text === '') return;
  const text = rendered.text.replace(/[*_~|`[\]]/g, 'x');
  const entities = rendered.entities.map(toTdEntity);
  const run: (request: JsonObject) => unknown = execute;
  const answer = run({ _: 'parseMarkdown', text: { _: 'formattedText', text, entities } });
  if (!isJsonObject(answer) || !Array.isArray(answer.entities)) throw new Error(JSON.stringify(answer));
  expect(answer.text).toBe(text);
  expect(listLooks(text, answer.entities)).toBe(listLooks(text, entities));
}

function toTdEntity(entity: MessageEntity): JsonObject {
  const { offset, length } = entity;
  return { _: 'textEntity', offset, length, type: toTdType(entity) };
}

function toTdType(entity: MessageEntity): JsonObject {
  if (entity.type === 'text_link') return { _: 'textEntityTypeTextUrl', url: entity.url };
  if (entity.type === 'pre' && entity.language) return { _: 'textEntityTypePreCode', language: entity.language };
  const name = entity.type === 'blockquote' ? 'BlockQuote' : entity.type[0]?.toUpperCase() + entity.type.slice(1);
  return { _: `textEntityType${name}` };
}

const FOUND_BY_TELEGRAM =
  /Url$|EmailAddress|Mention|Hashtag|BotCommand|Cashtag|PhoneNumber|BankCardNumber|MediaTimestamp/;

/** The formats of each character, one line per character, so that entities may be split, joined and ordered in any way. */
function listLooks(text: string, entities: readonly unknown[]): string {
  const looks: string[][] = Array.from(text, () => []);
  while (looks.length < text.length) looks.push([]);
  for (const entity of entities) {
    if (!isJsonObject(entity) || !isJsonObject(entity.type)) continue;
    const name = String(entity.type._);
    if (FOUND_BY_TELEGRAM.test(name) && name !== 'textEntityTypeTextUrl') continue;
    const url = typeof entity.type.url === 'string' ? new URL(entity.type.url).href : '';
    const end = Number(entity.offset) + Number(entity.length);
    for (let offset = Number(entity.offset); offset < end; offset++) {
      if (/\S/.test(text[offset] ?? '')) looks[offset]?.push(`${name} ${url}${String(entity.type.language ?? '')}`);
    }
  }
  return looks.map((names) => names.sort().join()).join('\n');
}
