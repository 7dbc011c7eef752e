import { afterEach, describe, expect, test, vi } from 'vitest';
import { DEFAULT_TOOL_LIMITS } from '../../src/core/tools/index.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import {
  createGate,
  createModelEntry,
  type ModelScript,
  toSource,
  toThought,
  toToolCallPart,
} from '../support/hosts/scripted-models.ts';
import { findChildren } from '../support/machine/child-processes.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const BUILT_IN = ['calculator', 'current_time', 'read_web_page', 'draw_picture'] as const;
const models = [createModelEntry('basic'), createModelEntry('painter', { type: 'image' })];
const PAGE = '<html><body><p>Foxes are small.</p></body></html>';

let page = async () => PAGE;
/** Number of requests of earlier tests. */
let requestsBefore = 0;
const harness = startBeforeAll(() =>
  createBotHarness({
    models,
    tools: { builtIn: BUILT_IN, limits: { ...DEFAULT_TOOL_LIMITS, steps: 2 } },
    download: async () => Buffer.from(await page()),
  }),
);
afterEach(() => {
  page = async () => PAGE;
  harness.models.models = [...models];
  harness.models.scripts.length = 0;
  requestsBefore = harness.models.requests.length;
});

const request = (at: number) => harness.models.requests[requestsBefore + at];
const offered = (at: number) => {
  return request(at)?.tools?.map(({ name }) => name) ?? [];
};
const calls = (chatId: number, method: string) =>
  harness.telegram.calls(method).filter(({ params }) => params['chat_id'] === chatId);

test('a model may use tools, and only its text is the answer', async () => {
  const ann = harness.user('Ann');
  harness.models.scripts.push([{ name: 'calculator', arguments: { expression: '12*34' } }], 'It is 408.');
  ann.writes('What is 12*34?');
  await harness.shows(ann.chatId, ['Ann: What is 12*34?', 'Bot: It is 408.']);
  expect(offered(0)).toEqual([...BUILT_IN]);
  expect(request(1)?.messages.at(-1)).toMatchObject({ role: 'tool', content: '12*34 = 408' });
});

/** A model that sends reasoning and text, then a tool call for the time. */
const lookAtClock: ModelScript = async (write) => {
  write('', toThought('A clock?'));
  write('Let me look.', toSource('https://clocks.example.org/'));
  write('', toToolCallPart(0, { name: 'current_time', arguments: '{}' }));
  return 'tool_calls';
};

test('an answer has text, reasoning and sources of all steps', async () => {
  const ann = harness.user('Ann');
  harness.models.scripts.push(lookAtClock, async (write) => {
    write('<think>Noon.</think>It is noon.', toSource('https://noon.example.org/'));
    return 'stop';
  });
  ann.writes('Time?');
  const sources = 'Sources\n\n1. clocks.example.org\n2. noon.example.org';
  const { message } = await harness.sees(ann.chatId, `A clock?\n\nNoon.\nLet me look.\n\nIt is noon.\n\n${sources}`);
  expect(message.entities).toContainEqual({ type: 'expandable_blockquote', offset: 0, length: 15 });
  expect(request(1)?.messages.at(-2)).toMatchObject({
    role: 'assistant',
    content: 'Let me look.',
    reasoning: 'A clock?',
    toolCalls: [{ name: 'current_time' }],
  });
});

test('the model gets its reasoning back even if the user has hidden it', async () => {
  const ann = harness.user('Ann');
  const { id } = await harness.accounts.ensureTelegramUser(ann.id);
  await harness.accounts.updateSettings(id, { showsReasoning: false });
  harness.models.scripts.push(lookAtClock, '<think>Noon.</think>It is noon.');
  ann.writes('Time?');
  await harness.sees(ann.chatId, /^Let me look\.\n\nIt is noon\.\n\nSources/);
  expect(request(1)?.messages.at(-2)).toMatchObject({ reasoning: 'A clock?' });
});

test('an interrupted answer continues with tools', async () => {
  const ann = harness.user('Ann');
  harness.models.scripts.push(async (write) => {
    write('The time is');
    return 'length';
  });
  ann.writes('Time?');
  await harness.sees(ann.chatId, 'The time is');
  await harness.settles(ann.chatId);
  harness.models.scripts.push([{ name: 'current_time', arguments: {} }], 'is noon.');
  await ann.presses('▶️ Continue');
  await harness.shows(ann.chatId, ['Ann: Time?', 'Bot: The time is noon.']);
  expect(offered(1)).toEqual([...BUILT_IN]);
});

test('a message sent while a tool runs is another question', async () => {
  const gate = createGate();
  page = async () => gate.passed.then(() => PAGE);
  const ann = harness.user('Ann');
  harness.models.scripts.push([{ name: 'read_web_page', arguments: { url: 'https://example.org' } }], 'Small.');
  ann.writes('How large are foxes?');
  await harness.sees(ann.chatId, '📄 Reading: example.org');
  ann.writes('And wolves?');
  await vi.waitFor(() => expect(calls(ann.chatId, 'setMessageReaction')).toHaveLength(1));
  gate.open();
  await harness.sees(ann.chatId, 'You said: And wolves?');
  await harness.sees(ann.chatId, 'Small.');
});

test('an answer is marked only while a tool computes for it', async () => {
  const gate = createGate();
  page = async () => gate.passed.then(() => PAGE);
  const ann = harness.user('Ann');
  harness.models.scripts.push([{ name: 'read_web_page', arguments: { url: 'https://example.org' } }], 'Small.');
  ann.writes('How large are foxes?');
  await harness.sees(ann.chatId, '📄 Reading: example.org');
  const [unfinished] = await harness.conversations.listUnfinished(ann.chatId);
  const extras = async () => (await harness.conversations.findMessage(unfinished?.id ?? 0))?.extras;
  expect(await extras()).toEqual({ isComputing: true });
  gate.open();
  await harness.sees(ann.chatId, 'Small.');
  await harness.settles(ann.chatId);
  expect(await extras()).toEqual({ hasForeignText: true });
});

test('a calculation runs in a process of its own: when that ends, the service goes on', async () => {
  const ann = harness.user('Ann');
  const calculation = [{ name: 'calculator', arguments: { expression: '1+1' } }];
  const findCalculators = () => findChildren(process.pid, 'calculating-process.');
  harness.models.scripts.push(calculation, 'Two.', calculation, 'I can’t.', calculation, 'Two again.');
  ann.writes('1+1?');
  await harness.sees(ann.chatId, 'Two.');
  const [calculator = 0] = await findCalculators();
  process.kill(calculator, 'SIGSTOP');
  ann.writes('And now?');
  await vi.waitFor(() => expect(request(2)).toBeDefined());
  await expect.poll(() => harness.conversations.listUnfinished(ann.chatId)).toHaveLength(1);
  process.kill(calculator, 'SIGKILL');
  await harness.sees(ann.chatId, 'I can’t.');
  ann.writes('Once more');
  await harness.sees(ann.chatId, 'Two again.');
  // It may have ended before it got the task.
  const result = expect.stringMatching(/^(Error: the calculation was ended|1\+1 = 2$)/);
  expect(request(3)?.messages.at(-1)).toMatchObject({ role: 'tool', content: result });
  expect(request(5)?.messages.at(-1)).toMatchObject({ role: 'tool', content: '1+1 = 2' });
});

test('with live typing the tool status is only in the draft', async () => {
  const gate = createGate();
  page = async () => gate.passed.then(() => PAGE);
  const ann = harness.user('Ann');
  const { id } = await harness.accounts.ensureTelegramUser(ann.id);
  await harness.accounts.updateSettings(id, { streaming: 'drafts' });
  harness.models.scripts.push([{ name: 'read_web_page', arguments: { url: 'https://example.org' } }], 'Small.');
  ann.writes('How large are foxes?');
  const drafts = () => harness.telegram.drafts(ann.chatId).map(({ text }) => text);
  await vi.waitFor(() => expect(drafts()).toEqual(['📄 Reading: example.org']));
  expect(harness.lines(ann.chatId)).toEqual(['Ann: How large are foxes?']);
  gate.open();
  await harness.shows(ann.chatId, ['Ann: How large are foxes?', 'Bot: Small.']);
  expect(drafts()).toEqual([]);
});

test('the next request has the final answer only, without tool calls', async () => {
  const ann = harness.user('Ann');
  harness.models.scripts.push([{ name: 'calculator', arguments: { expression: '1+1' } }], 'Two.');
  ann.writes('1+1?');
  await harness.sees(ann.chatId, 'Two.');
  ann.writes('And now?');
  await harness.sees(ann.chatId, 'You said: And now?');
  expect(harness.models.requests.at(-1)?.messages).toEqual([
    { role: 'user', content: '1+1?' },
    { role: 'assistant', content: 'Two.' },
    { role: 'user', content: 'And now?' },
  ]);
});

test('a status line shows what a tool does, and is not part of the answer', async () => {
  const gate = createGate();
  page = async () => gate.passed.then(() => PAGE);
  const ann = harness.user('Ann');
  harness.models.scripts.push(
    [{ name: 'read_web_page', arguments: { url: 'https://foxes.example.org/a?b' } }],
    'Small.',
  );
  ann.writes('How large are foxes?');
  const { message } = await harness.sees(ann.chatId, '📄 Reading: foxes.example.org');
  expect(message.entities).toContainEqual({ type: 'italic', offset: 0, length: message.text?.length });
  gate.open();
  await harness.shows(ann.chatId, ['Ann: How large are foxes?', 'Bot: Small.']);
  expect(calls(ann.chatId, 'sendMessage')).toHaveLength(1);
});

test('the status line is in the language of the user, below the text so far', async () => {
  const gate = createGate();
  page = async () => gate.passed.then(() => PAGE);
  const ann = harness.user('Аня', 'ru');
  const readPage = { name: 'read_web_page', arguments: { url: 'https://example.org' } };
  harness.models.scripts.push([{ name: 'calculator', arguments: { expression: '1' } }], [readPage], 'Готово.');
  ann.writes('Лиса?');
  await harness.sees(ann.chatId, '📄 Читаю: example.org');
  gate.open();
  await harness.shows(ann.chatId, ['Аня: Лиса?', 'Bot: Готово.']);
});

test('Stop ends a tool that hangs', async () => {
  page = () => new Promise(() => {});
  const ann = harness.user('Ann');
  harness.models.scripts.push([{ name: 'read_web_page', arguments: { url: 'https://example.org' } }]);
  ann.writes('Read this');
  await harness.sees(ann.chatId, /Reading/);
  await ann.presses('Stop');
  await harness.shows(ann.chatId, ['Ann: Read this']);
  ann.writes('Still there?');
  await harness.sees(ann.chatId, 'You said: Still there?');
});

test('a tool error is reported to the model, not to the user', async () => {
  page = () => Promise.reject(new Error('inner secret'));
  const ann = harness.user('Ann');
  harness.models.scripts.push(
    [{ name: 'read_web_page', arguments: { url: 'https://example.org' } }],
    'I could not read it.',
  );
  ann.writes('Read this');
  await harness.shows(ann.chatId, ['Ann: Read this', 'Bot: I could not read it.']);
  expect(request(1)?.messages.at(-1)).toMatchObject({ content: 'Error: the page could not be read' });
});

test('Retry is offered when the model fails after a tool call', async () => {
  const ann = harness.user('Ann');
  harness.models.scripts.push([{ name: 'current_time', arguments: {} }], () => Promise.reject(new Error('broken')));
  ann.writes('Time?');
  await harness.sees(ann.chatId, /went wrong/);
  await ann.presses('Retry');
  await harness.sees(ann.chatId, 'You said: Time?');
});

describe('image requests of the model', () => {
  test('are created when a user asks in a message', async () => {
    const ann = harness.user('Ann');
    const order = { prompt: 'a red fox', ratio: '16:9' };
    harness.models.scripts.push([{ name: 'draw_picture', arguments: order }], 'It is coming.');
    ann.writes('Draw me a fox');
    await harness.sees(ann.chatId, 'It is coming.');
    const { message } = await harness.sees(ann.chatId, /a red fox/);
    expect(message.photo).toBeDefined();
    expect(harness.images.requests.at(-1)).toMatchObject({
      request: { prompt: 'a red fox', ratio: { width: 16, height: 9 } },
    });
  });

  test('are rejected above the limit for one answer, with an error for the model', async () => {
    const ann = harness.user('Ann');
    const order = { name: 'draw_picture', arguments: { prompt: 'a fox' } };
    harness.models.scripts.push([order, order, order, order, order], 'Done.');
    ann.writes('Draw foxes');
    await harness.sees(ann.chatId, 'Done.');
    expect(request(1)?.messages.at(-1)).toMatchObject({
      content: 'Error: the limit of 4 calls in one answer is reached.',
    });
  });

  test('are not offered without an image model', async () => {
    harness.models.models = [createModelEntry('basic')];
    const ann = harness.user('Ann');
    ann.writes('Hello');
    await harness.sees(ann.chatId, 'You said: Hello');
    expect(offered(0)).not.toContain('draw_picture');
  });
});

test('users can turn tools off and on', async () => {
  const ann = harness.user('Ann');
  ann.writes('/settings');
  await harness.sees(ann.chatId, /Tools: on/);
  await ann.presses('Turn tools off');
  await harness.sees(ann.chatId, /Tools: off/);
  ann.writes('Hello');
  await harness.sees(ann.chatId, 'You said: Hello');
  expect(request(0)).not.toHaveProperty('tools');
  await ann.presses('Turn tools on');
  await harness.sees(ann.chatId, /Tools: on/);
  ann.writes('Again');
  await harness.sees(ann.chatId, 'You said: Again');
  expect(offered(1)).toEqual([...BUILT_IN]);
});

test('a model that keeps calling tools must answer at the limit of steps', async () => {
  const ann = harness.user('Ann');
  const ask = [{ name: 'current_time', arguments: {} }];
  harness.models.scripts.push(ask, ask, 'Noon.');
  ann.writes('Time?');
  await harness.shows(ann.chatId, ['Ann: Time?', 'Bot: Noon.']);
  expect(request(2)).toMatchObject({ toolChoice: 'none' });
});
