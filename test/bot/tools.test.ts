import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { DEFAULT_TOOL_LIMITS } from '../../src/core/tools/index.ts';
import { type BotPlay, createBotPlay } from '../support/bot-play.ts';
import {
  createGate,
  createModelEntry,
  type ModelScript,
  toSource,
  toThought,
  toToolCallPart,
} from '../support/scripted-models.ts';

const BUILT_IN = ['calculator', 'current_time', 'read_web_page', 'draw_picture'] as const;
const models = [createModelEntry('basic'), createModelEntry('painter', { type: 'image' })];
const PAGE = '<html><body><p>Foxes are small.</p></body></html>';

let play: BotPlay;
let page = async () => PAGE;
/** Requests of earlier tests. */
let requestsBefore = 0;
beforeAll(async () => {
  play = await createBotPlay({
    models,
    tools: { builtIn: BUILT_IN, limits: { ...DEFAULT_TOOL_LIMITS, steps: 2 } },
    download: async () => Buffer.from(await page()),
  });
});
afterEach(() => {
  page = async () => PAGE;
  play.models.models = [...models];
  play.models.scripts.length = 0;
  requestsBefore = play.models.requests.length;
});
afterAll(() => play.close());

const request = (at: number) => play.models.requests[requestsBefore + at];
const offered = (at: number) => {
  return request(at)?.tools?.map(({ name }) => name) ?? [];
};
const calls = (chatId: number, method: string) =>
  play.telegram.calls(method).filter(({ params }) => params['chat_id'] === chatId);

test('a model may use tools, and only its words are the answer', async () => {
  const ann = play.person('Ann');
  play.models.scripts.push([{ name: 'calculator', arguments: { expression: '12*34' } }], 'It is 408.');
  ann.writes('What is 12*34?');
  await play.shows(ann.chatId, ['Ann: What is 12*34?', 'Bot: It is 408.']);
  expect(offered(0)).toEqual([...BUILT_IN]);
  expect(request(1)?.messages.at(-1)).toMatchObject({ role: 'tool', content: '12*34 = 408' });
});

/** A model that thinks and speaks, and then asks for the time. */
const lookAtClock: ModelScript = async (write) => {
  write('', toThought('A clock?'));
  write('Let me look.', toSource('https://clocks.example.org/'));
  write('', toToolCallPart(0, { name: 'current_time', arguments: '{}' }));
  return 'tool_calls';
};

test('words, thoughts and sources of all steps are in the answer', async () => {
  const ann = play.person('Ann');
  play.models.scripts.push(lookAtClock, async (write) => {
    write('<think>Noon.</think>It is noon.', toSource('https://noon.example.org/'));
    return 'stop';
  });
  ann.writes('Time?');
  const sources = 'Sources\n\n1. clocks.example.org\n2. noon.example.org';
  const { message } = await play.sees(ann.chatId, `A clock?\n\nNoon.\nLet me look.\n\nIt is noon.\n\n${sources}`);
  expect(message.entities).toContainEqual({ type: 'expandable_blockquote', offset: 0, length: 15 });
  expect(request(1)?.messages.at(-2)).toMatchObject({
    role: 'assistant',
    content: 'Let me look.',
    reasoning: 'A clock?',
    toolCalls: [{ name: 'current_time' }],
  });
});

test('where somebody does not want to see thoughts, the model gets them back all the same', async () => {
  const ann = play.person('Ann');
  const { id } = await play.accounts.ensureTelegramUser(ann.id);
  await play.accounts.updateSettings(id, { showsReasoning: false });
  play.models.scripts.push(lookAtClock, '<think>Noon.</think>It is noon.');
  ann.writes('Time?');
  await play.sees(ann.chatId, /^Let me look\.\n\nIt is noon\.\n\nSources/);
  expect(request(1)?.messages.at(-2)).toMatchObject({ reasoning: 'A clock?' });
});

test('an answer that broke off goes on with tools', async () => {
  const ann = play.person('Ann');
  play.models.scripts.push(async (write) => {
    write('The time is');
    return 'length';
  });
  ann.writes('Time?');
  await play.sees(ann.chatId, 'The time is');
  await play.settles(ann.chatId);
  play.models.scripts.push([{ name: 'current_time', arguments: {} }], 'is noon.');
  await ann.presses('▶️ Continue');
  await play.shows(ann.chatId, ['Ann: Time?', 'Bot: The time is noon.']);
  expect(offered(1)).toEqual([...BUILT_IN]);
});

test('what is asked while a tool works is another question', async () => {
  const gate = createGate();
  page = async () => gate.passed.then(() => PAGE);
  const ann = play.person('Ann');
  play.models.scripts.push([{ name: 'read_web_page', arguments: { url: 'https://example.org' } }], 'Small.');
  ann.writes('How large are foxes?');
  await play.sees(ann.chatId, '📄 Reading: example.org');
  ann.writes('And wolves?');
  await vi.waitFor(() => expect(calls(ann.chatId, 'setMessageReaction')).toHaveLength(1));
  gate.open();
  await play.sees(ann.chatId, 'You said: And wolves?');
  await play.sees(ann.chatId, 'Small.');
});

test('an answer that is typed live has the line in its draft alone', async () => {
  const gate = createGate();
  page = async () => gate.passed.then(() => PAGE);
  const ann = play.person('Ann');
  const { id } = await play.accounts.ensureTelegramUser(ann.id);
  await play.accounts.updateSettings(id, { streaming: 'drafts' });
  play.models.scripts.push([{ name: 'read_web_page', arguments: { url: 'https://example.org' } }], 'Small.');
  ann.writes('How large are foxes?');
  const drafts = () => play.telegram.drafts(ann.chatId).map(({ text }) => text);
  await vi.waitFor(() => expect(drafts()).toEqual(['📄 Reading: example.org']));
  expect(play.lines(ann.chatId)).toEqual(['Ann: How large are foxes?']);
  gate.open();
  await play.shows(ann.chatId, ['Ann: How large are foxes?', 'Bot: Small.']);
  expect(drafts()).toEqual([]);
});

test('the next question goes along with the answer alone, as people have seen it', async () => {
  const ann = play.person('Ann');
  play.models.scripts.push([{ name: 'calculator', arguments: { expression: '1+1' } }], 'Two.');
  ann.writes('1+1?');
  await play.sees(ann.chatId, 'Two.');
  ann.writes('And now?');
  await play.sees(ann.chatId, 'You said: And now?');
  expect(play.models.requests.at(-1)?.messages).toEqual([
    { role: 'user', content: '1+1?' },
    { role: 'assistant', content: 'Two.' },
    { role: 'user', content: 'And now?' },
  ]);
});

test('a line says what a tool is doing, and is gone from the answer', async () => {
  const gate = createGate();
  page = async () => gate.passed.then(() => PAGE);
  const ann = play.person('Ann');
  play.models.scripts.push([{ name: 'read_web_page', arguments: { url: 'https://foxes.example.org/a?b' } }], 'Small.');
  ann.writes('How large are foxes?');
  const { message } = await play.sees(ann.chatId, '📄 Reading: foxes.example.org');
  expect(message.entities).toContainEqual({ type: 'italic', offset: 0, length: message.text?.length });
  gate.open();
  await play.shows(ann.chatId, ['Ann: How large are foxes?', 'Bot: Small.']);
  expect(calls(ann.chatId, 'sendMessage')).toHaveLength(1);
});

test('the line speaks the language of the person, below the words that are there', async () => {
  const gate = createGate();
  page = async () => gate.passed.then(() => PAGE);
  const ann = play.person('Аня', 'ru');
  const readPage = { name: 'read_web_page', arguments: { url: 'https://example.org' } };
  play.models.scripts.push([{ name: 'calculator', arguments: { expression: '1' } }], [readPage], 'Готово.');
  ann.writes('Лиса?');
  await play.sees(ann.chatId, '📄 Читаю: example.org');
  gate.open();
  await play.shows(ann.chatId, ['Аня: Лиса?', 'Bot: Готово.']);
});

test('Stop ends a tool that hangs', async () => {
  page = () => new Promise(() => {});
  const ann = play.person('Ann');
  play.models.scripts.push([{ name: 'read_web_page', arguments: { url: 'https://example.org' } }]);
  ann.writes('Read this');
  await play.sees(ann.chatId, /Reading/);
  await ann.presses('Stop');
  await play.shows(ann.chatId, ['Ann: Read this']);
  ann.writes('Still there?');
  await play.sees(ann.chatId, 'You said: Still there?');
});

test('a tool that fails is told to the model, and not to the person', async () => {
  page = () => Promise.reject(new Error('inner secret'));
  const ann = play.person('Ann');
  play.models.scripts.push(
    [{ name: 'read_web_page', arguments: { url: 'https://example.org' } }],
    'I could not read it.',
  );
  ann.writes('Read this');
  await play.shows(ann.chatId, ['Ann: Read this', 'Bot: I could not read it.']);
  expect(request(1)?.messages.at(-1)).toMatchObject({ content: 'Error: the page could not be read' });
});

test('when the model breaks off after a tool, people are offered another try', async () => {
  const ann = play.person('Ann');
  play.models.scripts.push([{ name: 'current_time', arguments: {} }], () => Promise.reject(new Error('broken')));
  ann.writes('Time?');
  await play.sees(ann.chatId, /went wrong/);
  await ann.presses('Retry');
  await play.sees(ann.chatId, 'You said: Time?');
});

describe('pictures', () => {
  test('are drawn when somebody asks for them in words', async () => {
    const ann = play.person('Ann');
    const order = { prompt: 'a red fox', ratio: '16:9' };
    play.models.scripts.push([{ name: 'draw_picture', arguments: order }], 'It is coming.');
    ann.writes('Draw me a fox');
    await play.sees(ann.chatId, 'It is coming.');
    const { message } = await play.sees(ann.chatId, /a red fox/);
    expect(message.photo).toBeDefined();
    expect(play.images.requests.at(-1)).toMatchObject({
      request: { prompt: 'a red fox', ratio: { width: 16, height: 9 } },
    });
  });

  test('are refused where too many are ordered, and the model hears it', async () => {
    const ann = play.person('Ann');
    const order = { name: 'draw_picture', arguments: { prompt: 'a fox' } };
    play.models.scripts.push([order, order, order, order, order], 'Done.');
    ann.writes('Draw foxes');
    await play.sees(ann.chatId, 'Done.');
    expect(request(1)?.messages.at(-1)).toMatchObject({
      content: 'Error: the limit of images for one answer is reached',
    });
  });

  test('are not offered where nobody draws', async () => {
    play.models.models = [createModelEntry('basic')];
    const ann = play.person('Ann');
    ann.writes('Hello');
    await play.sees(ann.chatId, 'You said: Hello');
    expect(offered(0)).not.toContain('draw_picture');
  });
});

test('people may do without tools, and take them back', async () => {
  const ann = play.person('Ann');
  ann.writes('/settings');
  await play.sees(ann.chatId, /Tools: on/);
  await ann.presses('Turn tools off');
  await play.sees(ann.chatId, /Tools: off/);
  ann.writes('Hello');
  await play.sees(ann.chatId, 'You said: Hello');
  expect(request(0)).not.toHaveProperty('tools');
  await ann.presses('Turn tools on');
  await play.sees(ann.chatId, /Tools: on/);
  ann.writes('Again');
  await play.sees(ann.chatId, 'You said: Again');
  expect(offered(1)).toEqual([...BUILT_IN]);
});

test('a model that asks for ever has to answer in the end', async () => {
  const ann = play.person('Ann');
  const ask = [{ name: 'current_time', arguments: {} }];
  play.models.scripts.push(ask, ask, 'Noon.');
  ann.writes('Time?');
  await play.shows(ann.chatId, ['Ann: Time?', 'Bot: Noon.']);
  expect(request(2)).toMatchObject({ toolChoice: 'none' });
});
