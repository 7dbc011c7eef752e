import type { ChatGeneration } from '../../src/core/generation/index.ts';
import type { Catalogue, ChatRequest, ChatStream, ModelEntry } from '../../src/core/models/index.ts';
import type { JsonObject } from '../../src/lib/json.ts';

/** What a model does next: words to stream, tools to ask for, or a script that writes words itself and may wait or throw. */
export type ModelScript =
  | string
  | readonly ScriptedToolCall[]
  | ((write: WriteWords, signal: AbortSignal) => Promise<string | undefined>);

/** Words of the answer, and what else a chunk brings: fields of its delta, fields beside its choices. */
type WriteWords = (words: string, delta?: JsonObject, beside?: JsonObject) => void;

/** A call of a tool; its arguments are JSON already where they are a text. */
export interface ScriptedToolCall {
  readonly name: string;
  readonly arguments: object | string;
}

/** Begins with these words and goes on until it is stopped. */
export function goOnFrom(words: string): ModelScript {
  return async (write, signal) => {
    write(words);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    throw signal.reason;
  };
}

/** Models that say what the test tells them to, and remember what they were asked. */
export interface ScriptedModels {
  readonly generation: ChatGeneration;
  readonly catalogue: Catalogue;
  /** The requests so far, oldest first. */
  readonly requests: readonly ChatRequest['body'][];
  /** Whom the requests were charged to. */
  readonly callers: readonly number[];
  /** Scripts for the next answers, in their order. Without one a model repeats the question. */
  readonly scripts: ModelScript[];
  /** The models that exist; the first is the default. */
  models: ModelEntry[];
}

/** A chat model of the catalogue. */
export function createModelEntry(id: string, facts: Partial<ModelEntry> = {}): ModelEntry {
  return {
    id,
    type: 'chat',
    ownedBy: 'test',
    displayName: undefined,
    created: 0,
    contextLength: undefined,
    price: undefined,
    acceptsImages: undefined,
    targets: [{ provider: 'test', model: id }],
    ...facts,
  };
}

export function createScriptedModels(models: readonly ModelEntry[]): ScriptedModels {
  const requests: ChatRequest['body'][] = [];
  const callers: number[] = [];
  const scripted: ScriptedModels = {
    requests,
    callers,
    scripts: [],
    models: [...models],
    catalogue: {
      list: () => scripted.models,
      find: (id) => scripted.models.find((entry) => entry.id === id),
      defaultChatModel: () => scripted.models.find((entry) => entry.type === 'chat'),
      defaultImageModel: () => scripted.models.find((entry) => entry.type === 'image'),
    },
    generation: {
      complete: () => Promise.reject(new Error('the bot streams')),
      stream: async (caller, { body }, signal) => {
        requests.push(structuredClone(body));
        callers.push(caller.personId);
        const script = scripted.scripts.shift() ?? `You said: ${lastWords(body)}`;
        return startStream(body.model, script, signal);
      },
    },
  };
  return scripted;
}

/** Resolves with the first words, as providers do; what is thrown before them is thrown here. */
async function startStream(model: string, script: ModelScript, signal: AbortSignal): Promise<ChatStream> {
  const events: string[] = [];
  let isOver = false;
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};
  let finishReason: string | undefined;
  const write: WriteWords = (words, delta, beside) => {
    events.push(toEvent(words, delta, beside));
    wake();
  };
  const play = toPlay(script, (event) => events.push(event), write);
  const end = (how: () => void) => {
    how();
    isOver = true;
    wake();
  };
  signal.addEventListener('abort', () => end(() => (failure ??= { error: signal.reason })));
  play(write, signal).then(
    (reason) => end(() => (finishReason = reason ?? 'stop')),
    (error: unknown) => end(() => (failure ??= { error })),
  );
  const waitForNews = () => new Promise<void>((resolve) => (wake = resolve));
  while (events.length === 0 && !isOver) await waitForNews();
  if (events.length === 0 && failure) throw failure.error;
  const outcome = { provider: 'test', model, id: undefined, usage: undefined, deltaCount: 0 };
  return {
    get outcome() {
      return { ...outcome, finishReason };
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const event = events.shift();
        if (event !== undefined) yield Buffer.from(event);
        else if (failure) throw failure.error;
        else if (isOver) return;
        else await waitForNews();
      }
    },
  };
}

function toPlay(script: ModelScript, add: (event: string) => void, write: WriteWords) {
  if (typeof script === 'function') return script;
  return async () => {
    if (typeof script === 'string') {
      for (const words of splitWords(script)) write(words);
      return undefined;
    }
    // In pieces, as most hosts send them.
    for (const [index, { name, arguments: given }] of script.entries()) {
      const text = typeof given === 'string' ? given : JSON.stringify(given);
      const half = Math.floor(text.length / 2);
      add(toToolEvent({ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }));
      add(toToolEvent({ index, function: { arguments: text.slice(0, half) } }));
      add(toToolEvent({ index, function: { arguments: text.slice(half) } }));
    }
    return 'tool_calls';
  };
}

function toToolEvent(call: object): string {
  const choices = [{ index: 0, delta: { tool_calls: [call] } }];
  return `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices })}\n\n`;
}

/** A promise and its end, for scripts that wait until the test has seen something. */
export function createGate(): { readonly passed: Promise<void>; open(): void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

function toEvent(content: string, delta: JsonObject = {}, beside: JsonObject = {}): string {
  const choices = [{ index: 0, delta: { ...(content !== '' && { content }), ...delta } }];
  return `data: ${JSON.stringify({ object: 'chat.completion.chunk', ...beside, choices })}\n\n`;
}

function splitWords(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

function lastWords(body: ChatRequest['body']): string {
  const content = body.messages.at(-1)?.content;
  return typeof content === 'string' ? content : 'a picture';
}
