import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTdlib } from '../../test/support/tdlib.ts';
import { findEntities } from '../src/formatting/find-entities.ts';
import { startTestSimulator, type TestSimulator } from './support/simulator.ts';

const tdlib = loadTdlib();

describe.skipIf(!tdlib)('a text with a parse mode', () => {
  let simulator: TestSimulator;
  let chatId: number;
  beforeAll(async () => {
    simulator = await startTestSimulator({ formattingParser: tdlib });
    chatId = simulator.control.createChat({ type: 'private', person: { firstName: 'Ann' } }).id;
  });
  afterAll(() => simulator.close());

  const send = (text: string, parse_mode: string) =>
    simulator.call('sendMessage', { chat_id: chatId, text, parse_mode });

  it.each([
    ['*bold* _it_ ||secret|| `code`', 'MarkdownV2', ['bold', 'italic', 'spoiler', 'code']],
    ['<b>bold</b> <a href="https://example.org">link</a> <pre>x</pre>', 'HTML', ['bold', 'text_link', 'pre']],
    ['*bold* [link](https://example.org)', 'Markdown', ['bold', 'text_link']],
    ['*bold* /start', 'markdownv2', ['bold', 'bot_command']],
  ])('%s in %s becomes entities', async (text, mode, types) => {
    const { result } = await send(text, mode);
    const { entities } = result as { entities: { type: string }[] };
    expect(entities.map(({ type }) => type)).toEqual(types);
  });

  it("is refused in Telegram's words", async () => {
    expect((await send('*bold', 'MarkdownV2')).description).toBe(
      "Bad Request: can't parse entities: Can't find end of Bold entity at byte offset 0",
    );
  });

  it('is measured after parsing', async () => {
    const text = `<b>${'a'.repeat(4096)}</b>`;
    expect((await send(text, 'HTML')).ok).toBe(true);
  });

  it('mentions people who are known, and nobody else', async () => {
    const known = await send(`<a href="tg://user?id=${chatId}">Ann</a>`, 'HTML');
    expect(known.result).toMatchObject({
      entities: [{ type: 'text_mention', user: { id: chatId, first_name: 'Ann' } }],
    });
    const unknown = await send('<a href="tg://user?id=123">Who</a>', 'HTML');
    expect(unknown.result).not.toHaveProperty('entities');
  });
});

describe.skipIf(!tdlib)('what is found in a plain text is what Telegram finds', () => {
  it.each([
    '/start and /help@my_bot but not /a/b or x/y or /very-long',
    'hello @someone, @abc, mail@example.org and foo@someone',
    'https://example.org/path?a=b#c, http://localhost/x and https://example.org.',
    'see example.com, sub.example.co.uk/path and file.txt or 1.5',
    '(https://example.org/a_(b)) and "https://example.org/q"',
    '#tag #тег #123 #1a a#b ##c #tag.',
    '$USD $TOOLONGTICKER $usd $A costs $5',
    'Привет, @username! Пиши на почту jane.doe@mail.example.com.',
    'emoji 😀/cmd 😀@username 😀#tag',
    'a\n/cmd\n@username\n#tag',
  ])('%s', (text) => {
    expect(findEntities(text, []).sort((one, other) => one.offset - other.offset)).toEqual(
      tdlib?.getTextEntities(text),
    );
  });
});
