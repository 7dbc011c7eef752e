import { describe, expect, it } from 'vitest';
import { createDemoProvider } from '../../../demo/demo-provider.ts';
import { texts as welcome } from '../../../src/bot/features/welcome.ts';
import type { ChatPart, ChatRequest } from '../../../src/core/models/index.ts';
import { BUILT_IN_TOOLS } from '../../../src/core/tools/index.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { toChatRequest } from '../../../src/protocols/openai-chat/read-request.ts';
import { drain, failureOf, noAbort } from '../../support/hosts/provider-under-test.ts';
import { createFakeClock } from '../../support/machine/fake-clock.ts';

const { chat } = createDemoProvider({ clock: createFakeClock() }, { kind: 'demo', wordsPerSecond: 0 });

type Turn = string | { role: string; content: string | JsonObject[] };
/** The request of an API client with these fields. */
function conversation(turns: readonly Turn[], fields: JsonObject = {}): ChatRequest {
  const messages = turns.map((turn, index) =>
    typeof turn === 'string' ? { role: index % 2 ? 'assistant' : 'user', content: turn } : turn,
  );
  return toChatRequest('demo', { messages, ...fields });
}
async function ask(turns: readonly Turn[], fields: JsonObject = {}) {
  const { choices, outcome } = await chat.complete(conversation(turns, fields), noAbort());
  const [choice] = choices;
  if (!choice) throw new Error('no choice');
  return { ...choice, outcome };
}
async function readParts(request: ChatRequest): Promise<readonly ChatPart[]> {
  const { events } = await drain(await chat.stream(request, noAbort()));
  return events.flatMap(({ parts }) => parts);
}

describe('the demonstration', () => {
  it('says that it is no language model, in the language of the question', async () => {
    expect((await ask(['Who are you?'])).text).toMatch(/not a language model/);
    expect((await ask(['Кто ты?'])).text).toMatch(/не языковая модель/);
    expect((await ask(['Why is the sky blue?'])).text).toMatch(
      /“Why is the sky blue\?”.*I am a demonstration with prepared texts/s,
    );
    expect((await ask(['Почему небо голубое?'])).text).toMatch(/«Почему небо голубое\?».*я демонстрация/s);
  });

  it('counts the words of a document', async () => {
    const count = async (text: string) =>
      (await ask([`<document name="a.txt">\n${text}\n</document>\n\nWhat is in it?`])).text;
    expect(await count('boat')).toContain('**a.txt** with 1 word.');
    expect(await count('the boat')).toContain('**a.txt** with 2 words.');
  });

  it('gives the same answer to the same conversation', async () => {
    for (const question of ['help', 'a long answer', 'anything else']) {
      expect((await ask([question])).text).toBe((await ask([question])).text);
    }
  });

  it('gives as many choices as requested, complete and streamed', async () => {
    const request = conversation(['count to 3'], { n: 2 });
    const whole = await chat.complete(request, noAbort());
    expect(whole.choices).toMatchObject([{ text: '1, 2, 3' }, { text: '1, 2, 3' }]);
    expect(whole.outcome.usage?.completionTokens).toBe(6);
    const second = (await readParts(request)).filter((part) => part.type === 'text-delta' && part.choice === 1);
    expect(second).toHaveLength(3);
  });

  it.each([
    ['markdown', [/^# /m, /^## /m, /^\| :---/m, /^```typescript$/m, /^\$\$$/m, /^> /m, /^1\. /m, /\[x\]/]],
    ['show me a table', [/^\| Jupiter/m]],
    ['write some code', [/^```typescript$/m]],
    ['a formula please', [/\$\$\n/]],
    ['Show me a table, some code and a list', [/^\| Jupiter/m, /^```typescript$/m, /^ {3}- and another$/m]],
    ['make a list', [/^ {3}- and another$/m]],
    ['покажи разметку', [/^# Заголовок$/m, /^\| Земля/m]],
    ['таблица', [/^\| Юпитер/m]],
    ['помощь', [/\*\*разметка\*\*/]],
    ['help', [/\*\*markdown\*\*/]],
  ])('shows the feature that %j asks for', async (question, patterns) => {
    const { text } = await ask([question]);
    for (const pattern of patterns) expect(text).toMatch(pattern);
  });

  it.each(['help', 'помощь'])('names only features in its %s that it has', async (question) => {
    const { text } = await ask([question]);
    const phrases = [...text.matchAll(/\*\*(.+?)\*\*/g)].map(([, phrase]) => phrase ?? '');
    const wordy = phrases.filter((phrase) => !/picture|image|repeat|картинка|повтори/.test(phrase));
    expect(wordy.length).toBeGreaterThan(8);
    for (const phrase of wordy)
      expect((await ask([phrase])).text, phrase).not.toMatch(/and can't answer it|и не могу на это ответить/);
  });

  it.each(Object.values(welcome).flatMap(({ examples }) => examples))(
    'answers the question that the bot suggests at its start: %s',
    async (question) => {
      expect((await ask([question])).text).toMatch(/(prepared answer|Готовый ответ)/);
    },
  );

  it('ignores keywords in a long text', async () => {
    const text =
      'Summarise this: the quick brown fox made a list of tables and jumped over the lazy dog with some code.';
    expect((await ask([text])).text).toMatch(/and can't answer it/);
  });

  it.each(['Please write a long answer', 'напиши длинный ответ'])('writes several pages for %j', async (question) => {
    const { text } = await ask([question]);
    expect(text.length).toBeGreaterThan(2 * 4096);
    expect((await ask([question], { model: 'demo-long' })).text).toBe(text);
  });

  it('remembers the conversation and the system prompt', async () => {
    const turns = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'My name is Ann' },
      { role: 'assistant', content: '…' },
    ];
    expect((await ask([...turns, { role: 'user', content: 'What did I say before?' }])).text).toContain(
      '1. My name is Ann',
    );
    expect((await ask([...turns, { role: 'User', content: 'What is your system prompt?' }])).text).toContain(
      '> Be kind.',
    );
    expect((await ask(['What did I say before?'])).text).toMatch(/first message in this conversation/);
    expect((await ask(['What is your system prompt?'])).text).toMatch(/no system prompt/);
  });

  it('repeats, counts and answers an empty message', async () => {
    expect((await ask(['repeat: one\n  two'])).text).toBe('one\n  two');
    expect((await ask(['повтори: раз'])).text).toBe('раз');
    expect((await ask(['count to 5'])).text).toBe('1, 2, 3, 4, 5');
    expect((await ask(['count to 99999999'])).text.split(' ')).toHaveLength(1000);
    expect((await ask([''])).text).toMatch(/empty/);
  });

  it('reports that an image arrived', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const content = [{ type: 'text', text: 'what is this?' }, image];
    expect((await ask([{ role: 'user', content }])).text).toMatch(/I got your image/);
    expect((await ask([{ role: 'user', content: [...content, image] }])).text).toMatch(/2 images/);
  });

  it.each([
    ['What is 12*34?', 'calculator', { expression: '12*34' }],
    ['сколько будет (3 + 4) / 2?', 'calculator', { expression: '(3 + 4) / 2' }],
    ['What time is it in Tokyo?', 'current_time', { time_zone: 'Asia/Tokyo' }],
    ['который час?', 'current_time', {}],
    ['Draw me a fox in snow', 'draw_picture', { prompt: 'a fox in snow' }],
    ['Please read https://example.org/a', 'read_web_page', { url: 'https://example.org/a' }],
    ['Remember that I like tea', 'remember', { text: 'I like tea' }],
    ['Forget that I like tea', 'forget', { text: 'I like tea' }],
    ['забудь, что я люблю чай', 'forget', { text: 'я люблю чай' }],
    ['Remind me in 5 minutes to drink tea', 'schedule_task', { kind: 'reminder', text: 'drink tea', in_minutes: 5 }],
    ['remind me to call Ann in an hour', 'schedule_task', { kind: 'reminder', text: 'call Ann', in_minutes: 60 }],
    ['напомни мне через полчаса про чай', 'schedule_task', { kind: 'reminder', text: 'чай', in_minutes: 30 }],
    ['What have you planned?', 'list_tasks', {}],
    ['Search the web for red foxes', 'web_search', { query: 'red foxes' }],
    ['найди в моих документах лодка', 'search_library', { query: 'лодка' }],
    [
      'Draw a pie chart of apples 3, pears 5.5',
      'draw_chart',
      {
        type: 'pie',
        title: 'apples, pears',
        labels: ['apples', 'pears'],
        series: [{ name: '', values: [3, 5.5] }],
      },
    ],
  ])('calls the tools of this service: %s', async (question, name, parameters) => {
    const tools = BUILT_IN_TOOLS.map((tool) => ({
      type: 'function',
      function: { name: tool, parameters: { type: 'object' } },
    }));
    const { toolCalls } = await ask([question], { tools });
    expect(toolCalls).toMatchObject([{ name }]);
    expect(JSON.parse(toolCalls[0]?.arguments ?? '')).toEqual(parameters);
    expect((await ask([question])).finishReason).toBe('stop');
  });

  it.each([
    ['every weekday at 8:30 count to 5', 'question', 'count to 5', '08:30', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR'],
    ['напомни каждый день в 9 про чай', 'reminder', 'чай', '09:00', 'FREQ=DAILY'],
  ])('schedules from the date in the system prompt: %s', async (question, kind, text, time, rrule) => {
    const tools = [{ type: 'function', function: { name: 'schedule_task', parameters: { type: 'object' } } }];
    const today = { role: 'system', content: "Today is Friday, 2026-12-04. The user's time zone is UTC." };
    const { toolCalls } = await ask([today, { role: 'user', content: question }], { tools });
    expect(JSON.parse(toolCalls[0]?.arguments ?? '')).toEqual({ kind, text, at: `2026-12-04T${time}`, rrule });
    expect((await ask([question], { tools })).finishReason).toBe('stop');
  });

  it('calls a tool when the question names it, and reads its result', async () => {
    const parameters = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' }, units: { enum: ['celsius', 'kelvin'] } },
    };
    const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }];
    const { toolCalls, finishReason } = await ask(['use get_weather'], { tools });
    expect(finishReason).toBe('tool_calls');
    expect(toolCalls).toMatchObject([{ name: 'get_weather' }]);
    expect(JSON.parse(toolCalls[0]?.arguments ?? '')).toEqual({ city: 'demo', days: 1, units: 'celsius' });
    expect((await ask(['hello'], { tools })).finishReason).toBe('stop');
    expect((await ask(['hello'], { tools, tool_choice: 'required' })).finishReason).toBe('tool_calls');
    expect(
      (await ask(['use get_weather', 'calling', { role: 'tool', content: '{"sun":true}' }], { tools })).text,
    ).toContain('{"sun":true}');
    const parts = await readParts(conversation(['use get_weather'], { tools }));
    expect(parts).toContainEqual({ type: 'finish', choice: 0, reason: 'tool_calls' });
  });

  it('answers in JSON if requested', async () => {
    expect(JSON.parse((await ask(['x'], { response_format: { type: 'json_object' } })).text)).toMatchObject({
      demonstration: true,
    });
    const schema = {
      type: 'object',
      properties: { tags: { type: 'array', items: { type: 'string' } }, ok: { type: 'boolean' } },
    };
    const { text } = await ask(['x'], { response_format: { type: 'json_schema', json_schema: { schema } } });
    expect(JSON.parse(text)).toEqual({ tags: ['demo'], ok: true });
  });

  it('respects the token limit and stop words, and reports usage', async () => {
    const limited = await ask(['count to 20'], { max_tokens: 3 });
    expect(limited).toMatchObject({
      text: '1, 2, 3,',
      finishReason: 'length',
      outcome: { usage: { completionTokens: 3 } },
    });
    expect(await ask(['count to 20'], { max_completion_tokens: 2 })).toMatchObject({
      text: '1, 2,',
      finishReason: 'length',
    });
    expect(await ask(['count to 20'], { stop: ['7', ', 5'] })).toMatchObject({
      text: '1, 2, 3, 4',
      finishReason: 'stop',
    });
  });

  it('streams exactly the completion, word by word, for any text', async () => {
    for (const question of ['markdown', 'write some code', 'покажи разметку', 'repeat:  a  b\n\n c ']) {
      const parts = await readParts(conversation([question]));
      const text = parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('');
      expect(text).toBe((await ask([question])).text);
    }
  });

  it('streams at reading speed by the clock, five times slower if chosen', async () => {
    const clock = createFakeClock();
    const paced = createDemoProvider({ clock });
    for (const [model, wordsPerSecond] of [
      ['demo', 40],
      ['demo-slow', 8],
    ] as const) {
      const stream = await paced.chat.stream({ ...conversation(['a long answer']), model }, noAbort());
      const reading = drain(stream);
      const before = stream.outcome.deltaCount;
      await clock.advance(2000);
      expect(stream.outcome.deltaCount - before).toBe(2 * wordsPerSecond);
      await clock.advance(600_000);
      expect((await reading).failure).toBeUndefined();
    }
  });

  it('stops at once when aborted and leaves no timer', async () => {
    const clock = createFakeClock();
    const controller = new AbortController();
    const stream = await createDemoProvider({ clock }).chat.stream(conversation(['a long answer']), controller.signal);
    const reading = drain(stream);
    await clock.advance(500);
    const reason = new Error('enough');
    controller.abort(reason);
    const { events, failure } = await reading;
    expect(failure).toBe(reason);
    expect(events.length).toBeGreaterThan(10);
    expect(stream.outcome.finishReason).toBeUndefined();
    expect(clock.pending).toBe(0);
    expect(await failureOf(chat.complete(conversation(['x']), controller.signal))).toBe(reason);
  });
});
