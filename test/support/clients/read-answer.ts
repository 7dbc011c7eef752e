import { collectCompletion } from '../../../src/core/models/hosts/stream/collect-completion.ts';
import type { ChatCompletion, Provider } from '../../../src/core/models/index.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { toChatRequest } from '../../../src/protocols/openai-chat/read-request.ts';
import type { Client } from '../samples/moved-conversations.ts';
import { joinBlocks, readMessagesEvents } from './stream-events.ts';

/** An answer as the client of any dialect gets it. */
export interface Answer {
  readonly status: number;
  /** Text of the answer and of its refusal. */
  readonly text: string;
  readonly callIds: readonly unknown[];
  /** Addresses, or the base64 of data URLs. */
  readonly images: readonly unknown[];
  /** Tokens of the prompt and of the answer. */
  readonly usage: readonly unknown[] | undefined;
  readonly error: { readonly type: unknown; readonly message: string } | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of several dialects are read here.
type Body = any;

const EMPTY: Omit<Answer, 'status'> = { text: '', callIds: [], images: [], usage: undefined, error: undefined };
const toImage = (url: string) => url.replace(/^data:.*,/, '');

/** Reads an answer of the API, whole or streamed. */
export async function readAnswer(client: Exclude<Client, 'bot'>, response: Response, stream: boolean): Promise<Answer> {
  const { status } = response;
  const text = await response.text();
  const isStreamed = stream && response.headers.get('content-type')?.startsWith('text/event-stream');
  if (!isStreamed) {
    const body = JSON.parse(text);
    if (status !== 200) return { ...EMPTY, status, error: body.error };
    return { ...EMPTY, status, ...WHOLE[client](body) };
  }
  return { ...EMPTY, status, ...STREAMED[client](text) };
}

const WHOLE: Readonly<Record<Exclude<Client, 'bot'>, (body: Body) => Partial<Answer>>> = {
  chat: readCompletion,
  native: readCompletion,
  responses: readResponse,
  messages: readMessage,
};

function readCompletion({ choices: [choice], usage }: Body): Partial<Answer> {
  const { content, refusal, tool_calls: calls = [], images = [] } = choice.message;
  return {
    text: `${content ?? ''}${refusal ?? ''}`,
    callIds: calls.map(({ id }: Body) => id),
    images: images.map(({ image_url: image }: Body) => toImage(image.url)),
    usage: usage && [usage.prompt_tokens, usage.completion_tokens],
    error: choice.finish_reason === 'error' ? { type: 'error', message: '' } : undefined,
  };
}

function readResponse({ output, usage }: Body): Partial<Answer> {
  const parts = output.flatMap(({ type, content }: Body) => (type === 'message' ? content : []));
  const ofType = (type: string) => output.filter((item: Body) => item.type === type);
  return {
    text: parts.map(({ text, refusal }: Body) => text ?? refusal).join(''),
    callIds: ofType('function_call').map(({ call_id: id }: Body) => id),
    images: ofType('image_generation_call').map(({ result }: Body) => result),
    usage: usage && [usage.input_tokens, usage.output_tokens],
  };
}

function readMessage({ content, usage }: Body): Partial<Answer> {
  return {
    text: content.map(({ text = '' }: Body) => text).join(''),
    callIds: content.flatMap(({ type, id }: Body) => (type === 'tool_use' ? [id] : [])),
    usage: usage && [usage.input_tokens, usage.output_tokens],
  };
}

const STREAMED: Readonly<Record<Exclude<Client, 'bot'>, (text: string) => Partial<Answer>>> = {
  chat: readChunks,
  native: readChunks,
  responses: readEvents,
  messages: readBlocks,
};

function listData(text: string): readonly Body[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]');
  return lines.map((line) => JSON.parse(line.slice('data: '.length)));
}

function readChunks(text: string): Partial<Answer> {
  const chunks = listData(text);
  const choices = chunks.flatMap(({ choices: list }) => list ?? []);
  const deltas = choices.map(({ delta }: Body) => delta);
  const usage = chunks.findLast((chunk) => chunk.usage)?.usage;
  const isFailed = choices.some(({ finish_reason: reason }: Body) => reason === 'error');
  return {
    text: deltas.map(({ content, refusal }: Body) => `${content ?? ''}${refusal ?? ''}`).join(''),
    callIds: deltas.flatMap(({ tool_calls: calls = [] }: Body) => calls.flatMap(({ id }: Body) => id ?? [])),
    images: deltas.flatMap(({ images = [] }: Body) => images.map(({ image_url: image }: Body) => toImage(image.url))),
    usage: usage && [usage.prompt_tokens, usage.completion_tokens],
    error: chunks.find((chunk) => chunk.error)?.error ?? (isFailed ? { type: 'error', message: '' } : undefined),
  };
}

function readEvents(text: string): Partial<Answer> {
  const events = listData(text);
  const response = events.at(-1).response;
  return { ...readResponse(response), error: events.find(({ type }) => type === 'error')?.error };
}

function readBlocks(text: string): Partial<Answer> {
  const events = readMessagesEvents(text);
  const end: Body = events.findLast(({ type }) => type === 'message_delta')?.data;
  const failed: Body = events.find(({ type }) => type === 'error')?.data;
  return { ...readMessage({ content: joinBlocks(events), usage: end?.usage }), error: failed?.error };
}

/** Asks a provider as the bot does. @param body of chat completions. */
export async function readBotAnswer({ chat, name }: Provider, body: JsonObject, stream: boolean): Promise<Answer> {
  const { native: _native, extraFields: _extra, ...request } = toChatRequest(name, body);
  const { signal } = new AbortController();
  if (!chat) throw new Error('there is no chat model');
  let text = '';
  try {
    if (!stream) return readNeutral(await chat.complete(request, signal));
    const opened = await chat.stream(request, signal);
    const watched = {
      outcome: opened.outcome,
      async *[Symbol.asyncIterator]() {
        for await (const event of opened) {
          for (const part of event.parts) if (part.type === 'text-delta') text += part.text;
          yield event;
        }
      },
    };
    return readNeutral(await collectCompletion(watched));
  } catch (error) {
    const { message, status = 500, details, code }: Body = error;
    const type = details?.type ?? details?.code ?? code ?? status;
    return { ...EMPTY, status, text, error: { type, message: `${message} ${details?.message ?? ''}` } };
  }
}

function readNeutral({ choices: [choice], outcome }: ChatCompletion): Answer {
  const { usage } = outcome;
  return {
    status: 200,
    text: `${choice?.text}${choice?.refusal ?? ''}`,
    callIds: choice?.toolCalls.map(({ id }) => id) ?? [],
    images: (choice?.images ?? []).map(toImage),
    usage: usage && [usage.promptTokens, usage.completionTokens],
    error: undefined,
  };
}
