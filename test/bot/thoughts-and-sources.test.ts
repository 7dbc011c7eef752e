import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createSourceCollection, toSourceList } from '../../src/bot/answers/generation/sources.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { createGate, type ModelScript, toSource, toThought } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness());
beforeEach(() => {
  harness.models.scripts.length = 0;
});

const lastContents = () => harness.models.requests.at(-1)?.messages.map(({ content }) => content);

describe('model reasoning', () => {
  const inFields: ModelScript = async (write) => {
    write('', toThought('Let me see. '));
    write('', toThought('Seven.'));
    write('It is 7.');
    return 'stop';
  };
  const inTags: ModelScript = '<think>Let me see. Seven.</think>It is 7.';
  const beforeLoneTag: ModelScript = async (write) => {
    for (const delta of ['Let me see. ', 'Seven.\n</', 'think', '>\n\nIt', ' is 7.']) write(delta);
    return 'stop';
  };

  test.each([
    ['in separate fields', inFields],
    ['between tags', inTags],
    ['before a lone closing tag', beforeLoneTag],
  ])('%s is folded above the answer and not sent to the model again', async (_, script) => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(script);
    ann.writes('How many?');
    const { message } = await harness.sees(ann.chatId, 'Let me see. Seven.\nIt is 7.');
    await harness.settles(ann.chatId);
    expect(message.entities).toEqual([{ type: 'expandable_blockquote', offset: 0, length: 18 }]);
    ann.writes('Sure?');
    await harness.sees(ann.chatId, 'You said: Sure?');
    expect(lastContents()).toEqual(['How many?', 'It is 7.', 'Sure?']);
  });

  test('is shown while the model is reasoning, and again with its variant', async () => {
    const ann = harness.user('Ann');
    const gate = createGate();
    harness.models.scripts.push(async (write) => {
      write('', toThought('Perhaps seven'));
      await gate.passed;
      write('Seven.');
      return 'stop';
    }, 'Eight.');
    ann.writes('How many?');
    await harness.sees(ann.chatId, 'Thinking…\nPerhaps seven');
    gate.open();
    await harness.sees(ann.chatId, 'Perhaps seven\nSeven.');
    await harness.settles(ann.chatId);
    await ann.presses('🔄 Again');
    await harness.sees(ann.chatId, 'Eight.');
    await harness.settles(ann.chatId);
    await ann.presses('‹');
    await harness.sees(ann.chatId, 'Perhaps seven\nSeven.');
  });

  test('that was shown as the answer is folded when its closing tag arrives', async () => {
    const ann = harness.user('Ann');
    const gate = createGate();
    harness.models.scripts.push(async (write) => {
      write('word '.repeat(1500));
      await gate.passed;
      write('Done.\n</think>\n\nSeven.');
      return 'stop';
    });
    ann.writes('How many?');
    await vi.waitFor(() => expect(harness.telegram.transcript(ann.chatId).length).toBeGreaterThan(2));
    gate.open();
    await harness.sees(ann.chatId, /Done\.\nSeven\.$/);
    await harness.settles(ann.chatId);
    expect(harness.telegram.transcript(ann.chatId)).toHaveLength(2);
  });

  test('is shortened when it is long, and the answer follows on further pages', async () => {
    const ann = harness.user('Ann');
    const [shownReasoning, answer] = ['hm '.repeat(3000), 'word '.repeat(1600).trim()];
    harness.models.scripts.push(async (write) => {
      write('', toThought(shownReasoning));
      write(answer);
      return 'stop';
    });
    ann.writes('Think');
    await vi.waitFor(() => expect(harness.telegram.transcript(ann.chatId)).toHaveLength(4));
    await harness.settles(ann.chatId);
    const [first = '', ...rest] = harness.telegram
      .transcript(ann.chatId)
      .slice(1)
      .map(({ message }) => message.text ?? '');
    expect(first.length).toBeLessThanOrEqual(4096);
    expect(first.indexOf('word')).toBeLessThan(1300);
    const shown = [first.slice(first.indexOf('word')), ...rest].join(' ');
    expect(shown.split(/\s+/).filter((word) => word === 'word')).toHaveLength(1600);
  });

  test('is hidden by a setting', async () => {
    const ann = harness.user('Ann');
    ann.writes('/settings');
    await ann.presses('Answers in the chat');
    await ann.presses('Hide reasoning');
    await harness.sees(ann.chatId, /Model reasoning: hidden/);
    harness.models.scripts.push(inFields);
    ann.writes('How many?');
    await harness.sees(ann.chatId, 'It is 7.');
  });
});

describe('sources of an answer', () => {
  test('are links below it and not sent to the model again', async () => {
    const ann = harness.user('Ann');
    const page = 'https://example.org/a_(b)';
    harness.models.scripts.push(async (write) => {
      write('It is so [1].', toSource(page), toSource('javascript:alert(1)'), toSource(page, 'A [fine] page *'));
      write('', toSource('https://example.com/'));
      return 'stop';
    });
    ann.writes('Is it so?');
    const { message } = await harness.sees(ann.chatId, /Sources/);
    await harness.settles(ann.chatId);
    expect(message.text).toBe('It is so [1].\n\nSources\n\n1. A (fine) page *\n2. example.com');
    expect(message.entities?.flatMap((entity) => (entity.type === 'text_link' ? [entity.url] : []))).toEqual([
      'https://example.org/a_(b)',
      'https://example.com/',
    ]);
    ann.writes('Sure?');
    await harness.sees(ann.chatId, 'You said: Sure?');
    expect(lastContents()).toEqual(['Is it so?', 'It is so [1].', 'Sure?']);
  });

  test('are limited in number and must be web addresses', () => {
    const sources = createSourceCollection();
    const urls = Array.from({ length: 50 }, (_, index) => `https://example.org/${index}`);
    const wrong = [undefined, 'ftp://x', 'https://', 'https://a b', '<https://x>', `https://${'x'.repeat(3000)}`];
    for (const url of [...wrong, ...urls]) sources.add({ url });
    expect(sources.list().map(({ url }) => url)).toEqual(urls.slice(0, 20));
    expect(toSourceList([], 'Sources')).toBe('');
  });
});
