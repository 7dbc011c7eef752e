import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Duration of an answer and interval between its words. */
export interface AnswerPlan {
  readonly durationMs: number;
  readonly everyMs: number;
}

/** One generated answer. The text differs each time, as with real models. */
export interface Writing {
  readonly text: string;
  /** Words sent so far: length of the text including the word, and time in milliseconds of `performance.now()`. */
  readonly words: readonly { readonly length: number; readonly at: number }[];
  /** Time at which the last word was sent; undefined before. */
  readonly endedAt: number | undefined;
}

/** Question with a prepared answer. */
export interface ScriptedAnswer {
  /** Text that the user must write. */
  readonly question: string;
  /** Oldest first; several if a bot has repeated the request. */
  readonly writings: readonly Writing[];
  /** Called once, when a writing has ended for the first time. */
  onEnd(listener: () => void): void;
}

/** OpenAI-compatible server with prepared answers that records when each word was sent. */
export interface ScriptedProvider {
  /** Ends with `/v1`. */
  readonly baseUrl: string;
  /** Prepares a question and its answer. */
  prepare(plan: AnswerPlan): ScriptedAnswer;
  close(): Promise<void>;
}

interface KnownAnswer {
  readonly id: number;
  readonly plan: AnswerPlan;
  readonly writings: { text: string; words: { length: number; at: number }[]; endedAt: number | undefined }[];
  readonly listeners: (() => void)[];
}

const QUESTION = /Question (\d+) of the benchmark/g;
const WORDS = [
  'quiet',
  'river',
  'under',
  'seven',
  'lamps',
  'while',
  'north',
  'wind',
  'turns',
  'every',
  'page',
  'again',
];

/** Starts the server on a loopback port. */
export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const answers: KnownAnswer[] = [];
  const server = createServer((request, response) => void answer(answers, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    prepare(plan) {
      const known: KnownAnswer = { id: answers.length, plan, writings: [], listeners: [] };
      answers.push(known);
      return {
        question: `Question ${known.id} of the benchmark?`,
        writings: known.writings,
        onEnd: (listener) => void known.listeners.push(listener),
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(answers: readonly KnownAnswer[], request: IncomingMessage, response: ServerResponse) {
  const body = (await request.toArray()).join('');
  // The last question of the request is the current one; earlier ones are its context.
  const known = answers[Number([...body.matchAll(QUESTION)].at(-1)?.[1])];
  if (known) stream(known, response);
  else response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"no such question"}}');
}

function stream({ id, plan, writings, listeners }: KnownAnswer, response: ServerResponse): void {
  const words = toWords(id, writings.length, Math.round(plan.durationMs / plan.everyMs));
  const writing: KnownAnswer['writings'][number] = { text: words.join(''), words: [], endedAt: undefined };
  writings.push(writing);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const startedAt = performance.now();
  let length = 0;
  const write = () => {
    const word = words[writing.words.length];
    if (response.destroyed) return;
    if (word === undefined) {
      response.end(`${toEvent({}, 'stop')}data: [DONE]\n\n`);
      writing.endedAt = performance.now();
      for (const listener of listeners.splice(0)) listener();
      return;
    }
    response.write(toEvent({ content: word }, null));
    length += word.length;
    writing.words.push({ length, at: performance.now() });
    // Scheduled from the start, so that a busy machine does not lengthen the answer.
    setTimeout(write, Math.max(0, startedAt + writing.words.length * plan.everyMs - performance.now()));
  };
  write();
}

/** Splits like tokenizers do: a space belongs to the following word. */
function toWords(id: number, turn: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    if (index === 0) return 'Answer';
    if (index === 1) return ` ${id}.${turn}`;
    return ` ${WORDS[(index + 5 * id + turn) % WORDS.length]}${index === count - 1 ? '.' : ''}`;
  });
}

function toEvent(delta: object, finishReason: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  const head = { id: 'chatcmpl-scripted', object: 'chat.completion.chunk', created: 1_767_225_600, model: 'scripted' };
  return `data: ${JSON.stringify({ ...head, choices })}\n\n`;
}
