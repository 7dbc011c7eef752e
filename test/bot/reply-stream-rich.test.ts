import { describe, expect, it } from 'vitest';
import { createRichSupport } from '../../src/bot/reply-stream/page-formats.ts';
import { createReplyHarness } from '../support/harness/replies.ts';
import type { Fate, ScriptedCall } from '../support/hosts/scripted-telegram.ts';

const TABLE = 'The prices:\n\n| Thing | Price |\n|---|--:|\n| Tea | $5 |\n| Coffee | $10 |';
const AS_TEXT = 'The prices:\n\nThing  | Price\n-------|------\nTea    |    $5\nCoffee |   $10';
const KEYBOARD = { inline_keyboard: [[{ text: '🔄', callback_data: 'x' }]] };

const isRich = ({ payload }: ScriptedCall) => 'rich_message' in payload;

/** Delivers an answer with a table, with or without a preview. `fateOf` decides the outcome of calls with rich messages. */
async function answer(options: {
  readonly hasPreview: boolean;
  readonly fateOf?: (count: number, call: ScriptedCall) => Fate;
}) {
  const stage = createReplyHarness();
  let richCount = 0;
  stage.telegram.decide((call) => (isRich(call) ? (options.fateOf?.(richCount++, call) ?? 'normal') : 'normal'));
  const richSupport = createRichSupport();
  const say = async (markdown: string) => {
    const findLostSend = async ({ afterId }: { afterId: number }) =>
      stage.telegram.transcript(7).find(({ messageId }) => messageId > afterId)?.messageId ?? ('absent' as const);
    const stream = stage.stream({}, { richSupport, findLostSend });
    if (options.hasPreview) stream.update(markdown.slice(0, 12));
    await stage.clock.advance(2000);
    return stage.settle(stream.finish(markdown, { keyboard: KEYBOARD }));
  };
  const delivered = await say(TABLE);
  return { stage, say, delivered, shown: stage.telegram.transcript(7), richCalls: () => stage.calls().filter(isRich) };
}

const asRich = { text: '', rich: [{ type: 'paragraph' }, { type: 'table' }], keyboard: KEYBOARD };
const asText = { text: AS_TEXT, keyboard: KEYBOARD };

describe('an answer with a table', () => {
  it.each([
    ['without a preview is sent as a rich message', false, ['sendRichMessage']],
    ['with a text preview becomes a rich message in its place', true, ['editMessageText']],
  ])('%s', async (_, hasPreview, methods) => {
    const { shown, delivered, richCalls } = await answer({ hasPreview });
    expect(shown).toMatchObject([asRich]);
    expect(delivered.map(({ messageId }) => messageId)).toEqual([shown[0]?.messageId]);
    expect(richCalls().map(({ method }) => method)).toEqual(methods);
  });

  it.each([
    ['an unknown method', false, { status: 404, description: 'Not Found: method not found' }],
    ['an unknown parameter', true, { status: 400, description: 'Bad Request: message text is empty' }],
  ])(
    'is sent as text when the server reports %s, and later ones are not tried as rich messages',
    async (_, hasPreview, fate) => {
      const { shown, say, stage, richCalls } = await answer({ hasPreview, fateOf: () => fate });
      expect(shown).toMatchObject([asText]);
      await say(TABLE);
      expect(stage.telegram.transcript(7)).toMatchObject([asText, asText]);
      expect(richCalls()).toHaveLength(1);
    },
  );

  it.each([
    ['the content', false, { status: 400, description: 'Bad Request: RICH_MESSAGE_INVALID' }],
    ['the content of an edit', true, { status: 400, description: 'Bad Request: RICH_MESSAGE_INVALID' }],
    ['edits from text to rich', true, { status: 400, description: "Bad Request: message can't be edited" }],
  ])('is sent as text when the server rejects %s, and the next one is tried again', async (_, hasPreview, fate) => {
    const { shown, say, stage, richCalls } = await answer({
      hasPreview,
      fateOf: (count) => (count === 0 ? fate : 'normal'),
    });
    expect(shown).toMatchObject([asText]);
    await say(TABLE);
    expect(stage.telegram.transcript(7)).toMatchObject([asText, asRich]);
    expect(richCalls()).toHaveLength(2);
  });

  it('is sent as text when the server fails at each attempt', async () => {
    const { shown, richCalls } = await answer({ hasPreview: true, fateOf: () => ({ status: 500 }) });
    expect(shown).toMatchObject([asText]);
    expect(richCalls()).toHaveLength(3);
  });
});

const FAULTS: readonly (readonly [string, Fate])[] = [
  ['a flood', { status: 429, retryAfter: 3 }],
  ['status 500', { status: 500 }],
  ['status 502, executed', { status: 502, isExecuted: true }],
  ['a lost request', 'lost-request'],
  ['a lost response', 'lost-answer'],
  ['no response', 'hang'],
  ['no connection', 'refused'],
];
const LATE: Fate = { late: 40_000 };

describe.each([
  ['sent', false, FAULTS],
  ['edited', true, [...FAULTS, ['a late execution', LATE] as const]],
])('a rich message that is %s', (_, hasPreview, faults) => {
  it.each(faults)('is shown once after %s', async (_name, fate) => {
    const { stage } = await answer({ hasPreview, fateOf: (count) => (count === 0 ? fate : 'normal') });
    await stage.clock.advance(60_000);
    expect(stage.telegram.transcript(7)).toMatchObject([asRich]);
  });
});
