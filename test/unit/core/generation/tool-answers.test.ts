import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createChatGeneration,
  createToolAnswers,
  createToolGuard,
  type ToolAnswerEvent,
  type ToolAnswerOptions,
} from '../../../../src/core/generation/index.ts';
import type { ChatMessage } from '../../../../src/core/models/index.ts';
import { DEFAULT_TOOL_LIMITS, type Tool, ToolError } from '../../../../src/core/tools/index.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import { createRecordingLogger } from '../../../support/harness/foundation.ts';
import {
  answerHello,
  answerJson,
  type Behaviour,
  openAiError,
  sseEvent,
  streamRaw,
} from '../../../support/hosts/fake-provider.ts';
import { noAbort, type ProviderUnderTest, startProviderUnderTest } from '../../../support/hosts/provider-under-test.ts';

const CALLER = { userId: 1, keyId: undefined };
const guard = createToolGuard({ canAsk: false, isPermitted: async () => false });
const QUESTION: ChatMessage = { role: 'user', content: 'How much is it?' };

/** A tool that records its calls. */
function createTool(name: string, run: Tool['run'], runs: JsonObject[] = []): Tool & { readonly runs: JsonObject[] } {
  return {
    name,
    description: `Does ${name}`,
    parameters: { type: 'object', properties: {} },
    runs,
    run: (parameters, context) => {
      runs.push(parameters);
      return run(parameters, context);
    },
  };
}

const event = (delta: object, finishReason: string | null = null) =>
  sseEvent({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
const usage = (promptTokens: number, completionTokens: number) =>
  sseEvent({
    id: 'chatcmpl-1',
    choices: [],
    usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens },
  });

/** A step that calls tools; each argument is one entry of `delta.tool_calls`. */
function askFor(pieces: readonly object[], { words = '', finishReason = 'tool_calls' } = {}): Behaviour {
  const said = words === '' ? [] : [event({ content: words })];
  const calls = pieces.map((piece) => event({ tool_calls: [piece] }));
  return streamRaw([...said, ...calls, event({}, finishReason), usage(10, 5), 'data: [DONE]\n\n']);
}
const call = (name: string, written = '{}', index = 0, id = `call_${index}`) => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: written },
});

describe('an answer with tools', () => {
  let stage: ProviderUnderTest;
  let log: ReturnType<typeof createRecordingLogger>;
  let recorded: { promptTokens: number; completionTokens: number }[];
  beforeEach(async () => {
    stage = await startProviderUnderTest();
    recorded = [];
    log = createRecordingLogger();
  });
  afterEach(() => stage.close());

  const start = (order: Partial<ToolAnswerOptions> = {}, signal = noAbort(), price = 0) => {
    const generation = createChatGeneration({
      chat: stage.provider.chat,
      usage: { record: (row) => void recorded.push(row) },
      clock: systemClock,
    });
    const answers = createToolAnswers({
      generation,
      clock: systemClock,
      logger: log.logger,
      findPrice: () => (price === 0 ? undefined : { input: price, output: price }),
    });
    const usual = {
      model: 'fake-model',
      messages: async () => [QUESTION],
      tools: [],
      limits: DEFAULT_TOOL_LIMITS,
      guard,
    };
    return { answers, stream: answers.stream(CALLER, { ...usual, ...order }, signal) };
  };
  const read = async (stream: AsyncIterable<ToolAnswerEvent>) => {
    const events: string[] = [];
    for await (const one of stream) {
      if (one.kind === 'tools-begin') events.push(`begin ${one.uses.map(({ tool }) => tool.name).join()}`);
      if (one.kind === 'tools-end') events.push('end');
      if (one.kind === 'part' && one.part.type === 'text-delta') events.push(one.part.text);
    }
    return events;
  };
  const sentMessages = (at: number) => stage.host.chatRequests[at]?.body['messages'] as JsonObject[];

  it('offers the tools, runs the calls, and returns the results to the model', async () => {
    const add = createTool('add', async ({ a, b }) => String(Number(a) + Number(b)));
    const pieces = [
      { index: 0, id: 'call_a', type: 'function', function: { name: 'add', arguments: '' } },
      { index: 0, function: { arguments: '{"a": 1,' } },
      { index: 0, function: { arguments: ' "b": 2}' } },
    ];
    stage.host.behave(askFor(pieces, { words: 'Let me see.' }), answerHello({ pieces: ['It is ', '3.'] }));
    const { stream } = start({ tools: [add] });
    expect(await read(stream)).toEqual(['Let me see.', 'begin add', 'end', 'It is ', '3.']);
    expect(stream.outcome).toMatchObject({ finishReason: 'stop' });
    expect(add.runs).toEqual([{ a: 1, b: 2 }]);
    expect(stage.host.chatRequests[0]?.body['tools']).toEqual([
      { type: 'function', function: { name: 'add', description: 'Does add', parameters: add.parameters } },
    ]);
    expect(sentMessages(1)).toEqual([
      QUESTION,
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [{ id: 'call_a', type: 'function', function: { name: 'add', arguments: '{"a": 1, "b": 2}' } }],
      },
      { role: 'tool', tool_call_id: 'call_a', content: '3' },
    ]);
  });

  it('meters each step', async () => {
    const tool = createTool('look', async () => 'seen');
    stage.host.behave(askFor([call('look')]), answerHello({ usage: { promptTokens: 30, completionTokens: 2 } }));
    await read(start({ tools: [tool] }).stream);
    expect(recorded).toMatchObject([
      { promptTokens: 10, completionTokens: 5 },
      { promptTokens: 30, completionTokens: 2 },
    ]);
  });

  it('runs several calls of one step concurrently, and returns the results in order', async () => {
    let atWork = 0;
    let most = 0;
    const slow = createTool('slow', async ({ ms }) => {
      most = Math.max(most, ++atWork);
      await new Promise((resolve) => setTimeout(resolve, Number(ms)));
      atWork -= 1;
      return `after ${ms}`;
    });
    stage.host.behave(askFor([call('slow', '{"ms":60}', 0), call('slow', '{"ms":5}', 1)]));
    await read(start({ tools: [slow] }).stream);
    expect(most).toBe(2);
    expect(
      sentMessages(1)
        .slice(2)
        .map(({ content }) => content),
    ).toEqual(['after 60', 'after 5']);
  });

  it.each([
    [
      'whole, without an index',
      [
        { id: 'a', function: { name: 'look', arguments: '{}' } },
        { id: 'b', function: { name: 'look', arguments: '{}' } },
      ],
    ],
    ['all under index 0', [call('look', '{}', 0, 'a'), call('look', '{}', 0, 'b')]],
    [
      'as an object, without an id',
      [
        { index: 0, function: { name: 'look', arguments: {} } },
        { index: 1, function: { name: 'look', arguments: {} } },
      ],
    ],
  ])('understands hosts that send calls %s', async (_how, pieces) => {
    const look = createTool('look', async () => 'seen');
    stage.host.behave(askFor(pieces, { finishReason: 'stop' }));
    await read(start({ tools: [look] }).stream);
    expect(look.runs).toEqual([{}, {}]);
    const ids = sentMessages(1).flatMap(({ tool_call_id: id }) => id ?? []);
    expect(new Set(ids).size).toBe(2);
  });

  it('returns host-specific fields to the host', async () => {
    const signature = { google: { thought_signature: 'abc' } };
    const thought = event({ reasoning_content: 'Hm.' });
    const asked = event({ tool_calls: [{ ...call('look'), extra_content: signature }] });
    stage.host.behave(streamRaw([thought, asked, event({}, 'tool_calls'), 'data: [DONE]\n\n']));
    await read(start({ tools: [createTool('look', async () => 'seen')] }).stream);
    expect(sentMessages(1)[1]).toMatchObject({
      content: null,
      reasoning_content: 'Hm.',
      tool_calls: [{ extra_content: signature }],
    });
  });

  it.each<[string, Tool['run'], string, RegExp]>([
    [
      'explains why it fails',
      () => Promise.reject(new ToolError('there is no such town')),
      '{}',
      /^Error: there is no such town$/,
    ],
    ['throws', () => Promise.reject(new Error('secret inner state')), '{}', /^Error: the tool failed\.$/],
    [
      'throws at once',
      () => {
        throw new Error('at once');
      },
      '{}',
      /^Error: the tool failed\.$/,
    ],
    ['is called with broken JSON', async () => 'never', '{"a', /^Error: the arguments are not a JSON object\.$/],
    ['hangs', () => new Promise(() => {}), '{}', /^Error: it took too long$/],
    ['returns nothing', async () => '', '{}', /^\(nothing\)$/],
    ['returns 10 MB', async () => 'x'.repeat(10_000_000), '{}', /^x{1000}\n\[cut: it had 10000000 characters\]$/],
  ])('reports to the model when a tool %s', async (_what, run, written, told) => {
    const limits = { ...DEFAULT_TOOL_LIMITS, callTimeoutMs: 50, resultCharacters: 1000 };
    stage.host.behave(askFor([call('tool', written)]), answerHello({ pieces: ['Sorry.'] }));
    expect(await read(start({ tools: [createTool('tool', run)], limits }).stream)).toContain('Sorry.');
    expect(sentMessages(1).at(-1)?.['content']).toMatch(told);
    expect(sentMessages(1)[1]).toMatchObject({
      tool_calls: [{ function: { arguments: '{}' } }],
    });
  });

  it('reports an unknown tool to the model', async () => {
    stage.host.behave(askFor([call('fly')]));
    await read(start({ tools: [createTool('walk', async () => 'there')] }).stream);
    expect(sentMessages(1).at(-1)?.['content']).toBe("Error: there is no tool 'fly'.");
  });

  it('runs a bounded number of calls concurrently', async () => {
    const look = createTool('look', async () => 'seen');
    stage.host.behave(askFor([call('look', '{}', 0), call('look', '{}', 1), call('look', '{}', 2)]));
    await read(start({ tools: [look], limits: { ...DEFAULT_TOOL_LIMITS, callsAtOnce: 2 } }).stream);
    expect(look.runs).toHaveLength(2);
    expect(sentMessages(1).at(-1)?.['content']).toBe('Error: only 2 tools may be called at once.');
  });

  it('runs a tool as often as it allows, calls before a pause included', async () => {
    const look = { ...createTool('look', async () => 'seen'), maxCalls: 2 };
    const calls = [call('look', '{}', 0), call('look', '{}', 1)].map(
      ({ id, function: { name, arguments: written } }) => ({
        ...{ id, name, arguments: written },
      }),
    );
    const paused = {
      messages: [{ role: 'assistant' as const, content: '', toolCalls: calls }],
      results: ['seen', null],
      isAllowed: true,
    };
    stage.host.behave(askFor([call('look')]));
    await read(start({ tools: [look], paused }).stream);
    expect(look.runs).toHaveLength(1);
    expect(sentMessages(1).at(-1)?.['content']).toBe('Error: the limit of 2 calls in one answer is reached.');
  });

  describe('an answer of a model that calls tools without end', () => {
    const tool = createTool('more', async () => 'x'.repeat(2000));
    const seesLastStep = () => stage.host.chatRequests.findIndex(({ body }) => body['tool_choice'] === 'none');
    beforeEach(() => stage.host.behaveUsually(askFor([call('more')])));

    it.each([
      ['of steps', { steps: 3 }, {}, 3],
      ['of tokens', { tokens: 40 }, {}, 3],
      ['of time', { totalMs: 1 }, {}, 1],
    ])('ends at the limit %s', async (_what, limits, order, lastStep) => {
      const { stream } = start({ tools: [tool], limits: { ...DEFAULT_TOOL_LIMITS, ...limits }, ...order });
      await read(stream);
      expect(seesLastStep()).toBe(lastStep);
      expect(stage.host.chatRequests).toHaveLength(lastStep + 1);
    });

    it('ends at the limit of cost', async () => {
      const limits = { ...DEFAULT_TOOL_LIMITS, costUsd: 0.00003 };
      await read(start({ tools: [tool], limits, guard }, noAbort(), 1).stream);
      expect(seesLastStep()).toBe(2);
    });

    it('ends when results have filled the context', async () => {
      await read(start({ tools: [tool], contextLength: 2500 }).stream);
      expect(seesLastStep()).toBe(3);
    });
  });

  it('ends at once with the signal, even during a tool call', async () => {
    const stop = new AbortController();
    let seen: AbortSignal | undefined;
    const deaf = createTool('deaf', (_parameters, { signal }) => {
      seen = signal;
      setTimeout(() => stop.abort(new Error('stopped')), 5);
      return new Promise(() => {});
    });
    stage.host.behave(askFor([call('deaf')]));
    await expect(read(start({ tools: [deaf] }, stop.signal).stream)).rejects.toThrow('stopped');
    expect(seen?.aborted).toBe(true);
    expect(stage.host.chatRequests).toHaveLength(1);
  });

  describe('an answer of a model without tools', () => {
    const tool = createTool('look', async () => 'seen');
    const refuse = answerJson(400, openAiError('registry/gemma does not support tools'));

    it('is requested again without tools, and from then on at once', async () => {
      stage.host.behave(refuse, answerHello({ pieces: ['Hi.'] }));
      const messages = async (hasTools: boolean) => [
        QUESTION,
        ...(hasTools ? [] : [{ role: 'user', content: 'Read.' } as const]),
      ];
      const { answers, stream } = start({ tools: [tool], messages });
      expect(await read(stream)).toEqual(['Hi.']);
      // The model can do less by itself, so the bot does more for it.
      expect([0, 1].map((at) => sentMessages(at).length)).toEqual([1, 2]);
      const order = {
        model: 'fake-model',
        messages: async () => [QUESTION],
        tools: [tool],
        limits: DEFAULT_TOOL_LIMITS,
        guard,
      };
      await read(answers.stream(CALLER, order, noAbort()));
      expect(stage.host.chatRequests.map(({ body }) => 'tools' in body)).toEqual([true, false, false]);
      const [line, ...others] = log.lines.map((text) => JSON.parse(text));
      expect(line).toMatchObject({ level: 40, model: 'fake-model', msg: expect.stringContaining('refused tools') });
      expect(others).toEqual([]);
    });

    it('omits tools in the last step if the host can not forbid calls', async () => {
      const noChoice = answerJson(400, openAiError('tool_choice none is not supported'));
      stage.host.behave(askFor([call('look')]), noChoice, answerHello({ pieces: ['Seen.'] }));
      const limits = { ...DEFAULT_TOOL_LIMITS, steps: 1 };
      const { answers, stream } = start({ tools: [tool], limits });
      expect(await read(stream)).toContain('Seen.');
      await read(
        answers.stream(
          CALLER,
          { model: 'fake-model', messages: async () => [QUESTION], tools: [tool], limits, guard },
          noAbort(),
        ),
      );
      expect(stage.host.chatRequests.map(({ body }) => 'tools' in body)).toEqual([true, true, false, true]);
    });

    it('offers no tools if the model is known to accept none', async () => {
      await read(start({ tools: [tool], acceptsTools: false }).stream);
      expect(stage.host.chatRequests.map(({ body }) => 'tools' in body)).toEqual([false]);
    });

    it('fails with other refusals', async () => {
      stage.host.behave(
        answerJson(400, openAiError('maximum context length is 8192 tokens', 'context_length_exceeded')),
      );
      await expect(read(start({ tools: [tool] }).stream)).rejects.toThrow('maximum context length');
      expect(stage.host.chatRequests).toHaveLength(1);
    });
  });

  describe('a tool that the host refuses', () => {
    const [add, look, wait] = ['add', 'look', 'wait'].map((name) => createTool(name, async () => 'done'));
    if (!add || !look || !wait) throw new Error('there are three tools');
    const tools = [add, look, wait];
    const namesOf = ({ body }: { readonly body: JsonObject }) =>
      (body['tools'] as { function: { name: string } }[] | undefined)?.map((tool) => tool.function.name);
    const invalid = "Invalid schema for function 'look': In context=(), object schema missing properties.";

    it.each<[string, JsonObject]>([
      ['OpenAI', openAiError(invalid, 'invalid_function_parameters', 'tools[1].function.parameters')],
      ['OpenRouter', { error: { message: invalid, code: 400 } }],
      ['Anthropic', { type: 'error', error: { message: 'tools.1.custom.input_schema: JSON schema is invalid' } }],
      ['Gemini', { error: { message: '* tools[0].function_declarations[1].parameters: should be non-empty' } }],
    ])('in the words of %s is left out alone, and from then on at once', async (_, refusal) => {
      stage.host.behave(answerJson(400, refusal), askFor([call('add')]));
      const { answers, stream } = start({ tools });
      expect(await read(stream)).toContain('begin add');
      const rest = { model: 'fake-model', messages: async () => [QUESTION], limits: DEFAULT_TOOL_LIMITS, guard };
      await read(answers.stream(CALLER, { ...rest, tools }, noAbort()));
      const others = ['add', 'wait'];
      expect(stage.host.chatRequests.map(namesOf)).toEqual([['add', 'look', 'wait'], others, others, others]);
      expect(log.lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, tool: 'look' }]);
    });

    it('that is the only one leaves an answer without tools', async () => {
      stage.host.behave(answerJson(400, openAiError(invalid, 'invalid_function_parameters', 'tools[0].function')));
      expect((await read(start({ tools: [look] }).stream)).join('')).toBe('Hello, world!');
      expect(stage.host.chatRequests.map(namesOf)).toEqual([['look'], undefined]);
    });

    it('says nothing about another tool of the same name', async () => {
      stage.host.behave(answerJson(400, openAiError(invalid, 'invalid_function_parameters', 'tools[1].function')));
      const { answers, stream } = start({ tools });
      await read(stream);
      const rest = { model: 'fake-model', messages: async () => [QUESTION], limits: DEFAULT_TOOL_LIMITS, guard };
      for (const other of [{ source: 'another' }, { parameters: { type: 'object', properties: { at: {} } } }])
        await read(answers.stream(CALLER, { ...rest, tools: [{ ...look, ...other }] }, noAbort()));
      await read(answers.stream(CALLER, { ...rest, tools: [add, look] }, noAbort()));
      expect(stage.host.chatRequests.slice(-3).map(namesOf)).toEqual([['look'], ['look'], ['add']]);
    });

    it('after many others leaves an answer without tools', async () => {
      const many = Array.from({ length: 8 }, (_, index) => createTool(`look${index}`, async () => 'done'));
      const refusal = answerJson(400, openAiError(invalid, 'invalid_function_parameters', 'tools[0].function'));
      stage.host.behave(...Array<Behaviour>(6).fill(refusal));
      expect((await read(start({ tools: many }).stream)).join('')).toBe('Hello, world!');
      expect(stage.host.chatRequests.map((request) => namesOf(request)?.length)).toEqual([8, 7, 6, 5, 4, 3, undefined]);
    });

    it('without a name, or in an earlier message, does not cost the others', async () => {
      for (const param of ['parameters', 'messages[1].tool_calls[0].function.name']) {
        const code = param === 'parameters' ? 'invalid_function_parameters' : 'invalid_value';
        stage.host.behave(answerJson(400, openAiError('Invalid schema for a function', code, param)));
        const { answers, stream } = start({ tools });
        await expect(read(stream)).rejects.toThrow('Invalid schema');
        const rest = { model: 'fake-model', messages: async () => [QUESTION], limits: DEFAULT_TOOL_LIMITS, guard };
        await read(answers.stream(CALLER, { ...rest, tools }, noAbort()));
        expect(stage.host.chatRequests.map(namesOf).at(-1)).toEqual(['add', 'look', 'wait']);
      }
    });
  });

  it('is a plain request if there are no tools', async () => {
    await read(start().stream);
    expect(Object.keys(stage.host.chatRequests[0]?.body ?? {}).sort()).toEqual([
      'messages',
      'model',
      'stream',
      'stream_options',
    ]);
  });
});
