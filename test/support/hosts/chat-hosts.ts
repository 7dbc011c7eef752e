import type { ProviderTimeouts } from '../../../src/core/models/hosts/endpoint/endpoint.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { answerMessage, anthropicError, messagesEvent } from './fake-anthropic.ts';
import { answerEvents, encodeEvent, encodeException, textEvents } from './fake-bedrock.ts';
import { answerHello, type Behaviour, type FakeRequest, openAiError, sseEvent } from './fake-provider.ts';
import {
  type ProviderUnderTest,
  startAnthropicUnderTest,
  startBedrockUnderTest,
  startProviderUnderTest,
} from './provider-under-test.ts';

/** A protocol of chat hosts. The same tests run with each. */
export interface ChatHost {
  readonly protocol: string;
  /** Starts a host and the provider for it. */
  start(config?: ChatHostConfig, clock?: Clock): Promise<ProviderUnderTest>;
  /** Answers `Hello, world!`. */
  answerHello(options?: { readonly everyMs?: number }): Behaviour;
  /** Sent before the first text of a stream. */
  readonly opening: string;
  text(text: string): string;
  /** Ends the answer, but not the stream. */
  readonly finish: string;
  errorEvent(message: string): string;
  error(message: string): JsonObject;
  keyOf(request: FakeRequest): string | undefined;
}

export interface ChatHostConfig {
  readonly baseUrl?: string;
  readonly apiKeys?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeouts?: Partial<ProviderTimeouts>;
}

const OPENAI: ChatHost = {
  protocol: 'chat completions',
  start: (config, clock) => startProviderUnderTest(config, clock),
  answerHello,
  opening: '',
  text: (content) => sseEvent({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
  finish: sseEvent({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  errorEvent: (message) => sseEvent({ error: { message } }),
  error: openAiError,
  keyOf: ({ headers }) => headers.authorization?.replace('Bearer ', ''),
};

const MESSAGE = { id: 'm', type: 'message', role: 'assistant', model: 'fake-model', content: [] };

const MESSAGES: ChatHost = {
  protocol: 'messages',
  start: (config, clock) => startAnthropicUnderTest(config, clock),
  answerHello: answerMessage,
  opening:
    messagesEvent({ type: 'message_start', message: { ...MESSAGE, usage: { input_tokens: 5, output_tokens: 1 } } }) +
    messagesEvent({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  text: (text) => messagesEvent({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  finish: messagesEvent({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }),
  errorEvent: (message) => messagesEvent(anthropicError('api_error', message)),
  error: (message) => anthropicError('invalid_request_error', message),
  keyOf: ({ headers }) => (Array.isArray(headers['x-api-key']) ? undefined : headers['x-api-key']),
};

const eventText = (type: string, payload: JsonObject) =>
  encodeEvent({ ':message-type': 'event', ':event-type': type }, payload).toString('latin1');

const CONVERSE: ChatHost = {
  protocol: 'converse',
  start: (config, clock) => startBedrockUnderTest(config, clock),
  answerHello: (options) => answerEvents(textEvents(), options),
  opening: eventText('messageStart', { role: 'assistant' }),
  text: (text) => eventText('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }),
  finish: eventText('messageStop', { stopReason: 'end_turn' }),
  errorEvent: (message) => encodeException('serviceUnavailableException', message).toString('latin1'),
  error: (message) => ({ message }),
  keyOf: ({ headers }) => headers.authorization?.replace('Bearer ', ''),
};

/** Hosts that stream server-sent events. */
export const EVENT_STREAM_HOSTS: readonly ChatHost[] = [OPENAI, MESSAGES];
export const CHAT_HOSTS: readonly ChatHost[] = [...EVENT_STREAM_HOSTS, CONVERSE];
