import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/machine/fake-clock.ts';
import type { ChatView } from '../src/control-protocol.ts';
import { startTestSimulator, type TestSimulator } from './support/simulator.ts';

const clock = createFakeClock();
let simulator: TestSimulator;
let chat: ChatView;
beforeEach(async () => {
  simulator = await startTestSimulator({ clock });
  chat = simulator.control.createChat({ type: 'private' });
});
afterEach(() => simulator.close());

describe('drafts', () => {
  const draft = (params: object = {}) =>
    simulator.call('sendMessageDraft', { chat_id: chat.id, draft_id: 7, text: 'typing along', ...params });

  it('are shown, grow, and vanish 30 s after the last change', async () => {
    expect(await draft({ text: '' })).toMatchObject({ ok: true, result: true });
    expect(simulator.control.drafts(chat.id)).toMatchObject([{ draftId: '7', text: '' }]);
    await clock.advance(20_000);
    await draft({ text: 'more' });
    await clock.advance(29_999);
    expect(simulator.control.drafts(chat.id)).toMatchObject([{ text: 'more' }]);
    await clock.advance(1);
    expect(simulator.control.drafts(chat.id)).toHaveLength(0);
    expect(simulator.control.transcript(chat.id)).toHaveLength(0);
  });

  it("end with the bot's real message", async () => {
    await draft();
    await simulator.succeed('sendMessage', { chat_id: chat.id, text: 'done' });
    expect(simulator.control.drafts(chat.id)).toHaveLength(0);
  });

  it('are replaced by a draft with another id', async () => {
    await draft();
    await draft({ draft_id: '9007199254740993', text: 'other' });
    expect(simulator.control.drafts(chat.id)).toMatchObject([{ draftId: '9007199254740993', text: 'other' }]);
  });

  it('need a private chat, a non-zero id, and a text within the limit of a message', async () => {
    const group = simulator.control.createChat({ type: 'group' });
    expect((await draft({ chat_id: group.id })).description).toBe('Bad Request: TEXTDRAFT_PEER_INVALID');
    expect((await draft({ draft_id: 0 })).status).toBe(400);
    expect((await draft({ text: 'a'.repeat(4097) })).description).toBe('Bad Request: message is too long');
  });

  it('can be stopped by the user, if the bot allows it', async () => {
    await draft();
    expect(() => simulator.control.stopDraft(chat.id, '7')).toThrow('no stop button');
    await draft({ can_stop: true });
    simulator.control.stopDraft(chat.id, '7');
    expect(simulator.control.drafts(chat.id)).toHaveLength(0);
    expect(simulator.control.pendingUpdates().at(-1)).toMatchObject({
      stopped_message_generation: { chat: { id: chat.id }, draft_id: '7' },
    });
  });
});

describe('rich messages', () => {
  const send = (rich_message: object) => simulator.call('sendRichMessage', { chat_id: chat.id, rich_message });

  it('become blocks, and keep the original source', async () => {
    const markdown =
      '# Title\n\nSome **bold** and $x^2$.\n\n| A | B |\n|---|--:|\n| 1 | 2 |\n\n```ts\nlet a;\n```\n\n1. one\n2. two';
    const { result } = await send({ markdown });
    expect(result).toMatchObject({
      rich_message: {
        blocks: [
          { type: 'heading', size: 1, text: 'Title' },
          {
            type: 'paragraph',
            text: [
              'Some ',
              { type: 'bold', text: 'bold' },
              ' and ',
              { type: 'mathematical_expression', expression: 'x^2' },
              '.',
            ],
          },
          {
            type: 'table',
            cells: [
              [
                { text: 'A', is_header: true },
                { text: 'B', align: 'right' },
              ],
              [{ text: '1' }, {}],
            ],
          },
          { type: 'pre', text: 'let a;', language: 'ts' },
          { type: 'list', items: [{ label: '1.' }, { label: '2.' }] },
        ],
      },
    });
    expect(simulator.control.transcript(chat.id)[0]?.richSource).toEqual({ markdown });
  });

  it('accept blocks', async () => {
    const blocks = [{ type: 'paragraph', text: 'plain' }];
    expect((await send({ blocks })).result).toMatchObject({ rich_message: { blocks } });
  });

  it('number the items of lists', async () => {
    const item = (value: number) => ({ value, type: '1', blocks: [{ type: 'paragraph', text: 'x' }] });
    const list = { type: 'list', items: [item(3), item(4)] };
    expect((await send({ blocks: [{ type: 'blockquote', blocks: [list] }] })).result).toMatchObject({
      rich_message: { blocks: [{ blocks: [{ items: [{ label: '3.' }, { label: '4.' }] }] }] },
    });
  });

  it.each([
    ['a block of an unknown type', { type: 'song', text: 'x' }],
    ['a paragraph without text', { type: 'paragraph' }],
    ['a text of an unknown type', { type: 'paragraph', text: ['x', { type: 'loud', text: 'y' }] }],
    ['a heading of size 7', { type: 'heading', size: 7, text: 'x' }],
    ['a cell without alignment', { type: 'table', cells: [[{ text: 'x' }]] }],
    ['an item without blocks', { type: 'list', items: [{ text: 'x' }] }],
    ['a formula without an expression', { type: 'mathematical_expression', latex: 'x' }],
  ])('refuse %s', async (_, block) => {
    expect((await send({ blocks: [block] })).description).toContain("can't parse rich message");
  });

  it('are edited with rich_message, from plain text too', async () => {
    const sent = await simulator.succeed('sendMessage', { chat_id: chat.id, text: 'plain' });
    const edit = { chat_id: chat.id, message_id: sent.message_id, rich_message: { markdown: '**rich**' } };
    const edited = await simulator.succeed('editMessageText', edit);
    expect(edited).toMatchObject({ rich_message: { blocks: [{ type: 'paragraph' }] } });
    expect(edited).not.toHaveProperty('text');
    expect((await simulator.call('editMessageText', edit)).description).toContain('message is not modified');
  });

  const row = (columns: number) => `|${' a |'.repeat(columns)}\n|${'---|'.repeat(columns)}\n`;
  it.each([
    ['32768 characters', { markdown: 'a'.repeat(32_768) }, { markdown: 'a'.repeat(32_769) }, 'too long'],
    ['500 blocks', { markdown: 'a\n\n'.repeat(500) }, { markdown: 'a\n\n'.repeat(501) }, 'too many blocks'],
    ['20 columns', { markdown: row(20) }, { markdown: row(21) }, 'too many columns'],
    ['16 levels', { markdown: `${'>'.repeat(8)} a` }, { markdown: `${'>'.repeat(16)} a` }, 'nested too deep'],
  ])('hold at most %s', async (_limit, fits, exceeds, reason) => {
    expect((await send(fits)).description).toBeUndefined();
    expect((await send(exceeds)).description).toContain(reason);
  });

  it('need exactly one source', async () => {
    expect((await send({})).status).toBe(400);
    expect((await send({ markdown: 'a', html: 'b' })).status).toBe(400);
  });

  it('may contain reasoning only in a draft', async () => {
    const blocks = [{ type: 'thinking', text: 'Hmm' }];
    expect((await send({ blocks })).status).toBe(400);
    const params = { chat_id: chat.id, draft_id: 1, rich_message: { blocks } };
    expect(await simulator.call('sendRichMessageDraft', params)).toMatchObject({ ok: true });
    expect(simulator.control.drafts(chat.id)).toMatchObject([{ richBlocks: blocks }]);
  });
});
