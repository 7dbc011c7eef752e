import { createOutcome } from '../../../src/core/models/contract/chat-outcome.ts';
import type {
  Catalogue,
  ChatModel,
  ChatPart,
  ChatRequest,
  ChatStream,
  ModelEntry,
} from '../../../src/core/models/index.ts';

/** Response of a model: text to stream, tool calls, or a script that writes text and may wait or throw. */
export type ModelScript =
  | string
  | readonly ScriptedToolCall[]
  | ((write: WriteWords, signal: AbortSignal) => Promise<string | undefined>);

/** Writes text of the answer, and further parts of the event. */
type WriteWords = (words: string, ...parts: readonly ChatPart[]) => void;

export function toThought(text: string): ChatPart {
  return { type: 'reasoning-delta', choice: 0, text, mustBeSentBack: true };
}

export function toSource(url: string, title?: string): ChatPart {
  return { type: 'source', choice: 0, source: { url, title } };
}

/** Returns a tool call in a single delta. */
export function toToolCallPart(index: number, { name, arguments: given }: ScriptedToolCall): ChatPart {
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  return { type: 'tool-call-delta', choice: 0, index, id: `call_${index}`, name, arguments: text };
}

/** Tool call. String arguments are already JSON. */
export interface ScriptedToolCall {
  readonly name: string;
  readonly arguments: object | string;
}

const isAvailable = () => false;
const listTargets = () => [];
const refuse = () => Promise.reject(new Error('there is no such model'));
/** Speech models of a service without any. */
export const NO_VOICES = {
  transcription: { isAvailable, listTargets, transcribe: refuse },
  speech: { isAvailable, listTargets, speak: refuse },
};

/** Routes of a service without models other than for chats and images. */
export const NO_OTHER_ROUTES = {
  completion: { complete: refuse, stream: refuse },
  embedding: { embed: refuse },
  moderation: { moderate: refuse },
  rerank: { rerank: refuse },
  speech: { speak: refuse },
  transcription: { transcribe: refuse, stream: refuse },
};

/** Streams this text, then keeps the stream open until it is aborted. */
export function goOnFrom(words: string): ModelScript {
  return async (write, signal) => {
    write(words);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    throw signal.reason;
  };
}

/** Models with scripted responses that record their requests. */
export interface ScriptedModels {
  readonly chat: ChatModel;
  readonly catalogue: Catalogue;
  /** Requests so far, oldest first. */
  readonly requests: readonly ChatRequest[];
  /** Scripts for the next answers, in order. Without one, a model repeats the question. */
  readonly scripts: ModelScript[];
  /** Scripts of the answers of single models, by name. They precede `scripts` and stay. */
  readonly scriptsOf: Map<string, ModelScript>;
  /** Available models; the first is the default. */
  models: ModelEntry[];
}

/** Returns a chat model of the catalogue. */
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
  const requests: ChatRequest[] = [];
  const scripted: ScriptedModels = {
    requests,
    scripts: [],
    scriptsOf: new Map(),
    models: [...models],
    catalogue: {
      list: () => scripted.models,
      find: (id) => scripted.models.find((entry) => entry.id === id),
      findPrice: ({ model }) => scripted.models.find((entry) => entry.targets[0]?.model === model)?.price,
      findPriceSource: () => undefined,
      findPrices: (id) => {
        const price = scripted.models.find((entry) => entry.id === id)?.price;
        return price && [price];
      },
      isFreeField: () => false,
      defaultChatModel: () => scripted.models.find((entry) => entry.type === 'chat'),
      defaultImageModel: () => scripted.models.find((entry) => entry.type === 'image'),
      libraryEmbeddingModel: () => undefined,
    },
    chat: {
      complete: () => Promise.reject(new Error('the bot streams')),
      stream: async (request, signal) => {
        requests.push(structuredClone(request));
        const own = scripted.scriptsOf.get(request.model);
        const script = own ?? scripted.scripts.shift() ?? `You said: ${lastWords(request)}`;
        return startStream(request.model, script, signal);
      },
    },
  };
  return scripted;
}

/** Resolves at the first text, as providers do; an earlier error rejects. */
async function startStream(model: string, script: ModelScript, signal: AbortSignal): Promise<ChatStream> {
  const events: (readonly ChatPart[])[] = [];
  let isOver = false;
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};
  let finishReason: string | undefined;
  const write: WriteWords = (words, ...parts) => {
    events.push(words === '' ? parts : [{ type: 'text-delta', choice: 0, text: words }, ...parts]);
    wake();
  };
  const harness = toPlay(script, write);
  const end = (how: () => void) => {
    how();
    isOver = true;
    wake();
  };
  signal.addEventListener('abort', () => end(() => (failure ??= { error: signal.reason })));
  harness(write, signal).then(
    (reason) => end(() => (finishReason = reason ?? 'stop')),
    (error: unknown) => end(() => (failure ??= { error })),
  );
  const waitForNews = () => new Promise<void>((resolve) => (wake = resolve));
  while (events.length === 0 && !isOver) await waitForNews();
  if (events.length === 0 && failure) throw failure.error;
  return {
    get outcome() {
      return { ...createOutcome('test', model), finishReason };
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const parts = events.shift();
        if (parts) yield { parts };
        else if (failure) throw failure.error;
        else if (isOver) return;
        else await waitForNews();
      }
    },
  };
}

function toPlay(script: ModelScript, write: WriteWords) {
  if (typeof script === 'function') return script;
  return async () => {
    if (typeof script === 'string') {
      for (const words of splitWords(script)) write(words);
      return undefined;
    }
    // Splits tool calls into deltas, as most hosts do.
    for (const [index, { name, arguments: given }] of script.entries()) {
      const text = typeof given === 'string' ? given : JSON.stringify(given);
      const half = Math.floor(text.length / 2);
      const piece = { type: 'tool-call-delta', choice: 0, index, id: undefined, name: undefined } as const;
      write('', { ...piece, id: `call_${index}`, name, arguments: '' });
      write('', { ...piece, arguments: text.slice(0, half) });
      write('', { ...piece, arguments: text.slice(half) });
    }
    return 'tool_calls';
  };
}

/** Returns a promise and the function that resolves it, for scripts that wait for the test. */
export function createGate(): { readonly passed: Promise<void>; open(): void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

function splitWords(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

function lastWords({ messages }: ChatRequest): string {
  const content = messages.at(-1)?.content;
  return typeof content === 'string' ? content : 'a picture';
}
