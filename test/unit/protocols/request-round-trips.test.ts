import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TokenUsage } from '../../../src/core/models/contract/chat-outcome.ts';
import type { ChatRequest } from '../../../src/core/models/contract/chat-request.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { printUsage as printMessagesUsage } from '../../../src/protocols/anthropic-messages/answer/print-message.ts';
import { readUsage as readMessagesUsage } from '../../../src/protocols/anthropic-messages/answer/read-message.ts';
import { toMessagesRequest } from '../../../src/protocols/anthropic-messages/request/print-request.ts';
import { readMessagesRequest } from '../../../src/protocols/anthropic-messages/request/read-request.ts';
import { printUsage } from '../../../src/protocols/openai-chat/print-answer.ts';
import { toChatBody, toFallbackParameters } from '../../../src/protocols/openai-chat/print-request.ts';
import { toChatRequest } from '../../../src/protocols/openai-chat/read-request.ts';
import { readUsage } from '../../../src/protocols/openai-chat/read-usage.ts';
import {
  readResponseRequest,
  toChatRequest as toChatRequestOfResponse,
} from '../../../src/protocols/openai-responses/request/read-request.ts';
import type { OptionalParameter } from '../../../src/protocols/optional-parameter.ts';
import { neutralRequest } from '../../support/samples/arbitrary-chats.ts';
import { DIALECTS } from '../../support/samples/moved-conversations.ts';

/**
 * Returns the meaning of a request: without its original, without fields that say nothing, and without the name of the
 * schema of its answer, which not all protocols have.
 */
function meaning({ native: _native, optional: _optional, extraFields: _extra, ...request }: ChatRequest): JsonObject {
  const { responseFormat } = request;
  const format = responseFormat?.type === 'json' ? { ...responseFormat, name: undefined } : undefined;
  const fields = { ...request, responseFormat: format };
  const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return JSON.parse(JSON.stringify(fields, (key, value) => (key === 'native' && isEmpty(value) ? undefined : value)));
}

const toFirst = (parameters: readonly OptionalParameter[]): JsonObject =>
  Object.assign({}, ...parameters.map(({ ways: [first] }) => first));
const printChat = (neutral: ChatRequest): JsonObject => ({
  ...toChatBody(neutral),
  ...toFirst(toFallbackParameters(neutral)),
});
const throughChat = (neutral: ChatRequest): ChatRequest => toChatRequest('m', printChat(neutral));

const FACTS = { maxOutputTokens: 200_000, thinkingTypes: new Set(['adaptive', 'disabled']), acceptsEffort: true };
const throughMessages = (neutral: ChatRequest): ChatRequest => {
  const { body, parameters } = toMessagesRequest(neutral, FACTS);
  return readMessagesRequest({ ...body, ...toFirst(parameters) }, {}).request;
};

/** Clients write requests of the Responses API; no host reads them. */
const throughResponses = (neutral: ChatRequest): ChatRequest => {
  const body = DIALECTS.responses.toBody(printChat(neutral));
  return toChatRequestOfResponse(readResponseRequest(body));
};

describe('a neutral request keeps its meaning', () => {
  it.each([
    ['chat completions', throughChat],
    ['messages', throughMessages],
    ['responses', throughResponses],
    ['responses and messages', (neutral: ChatRequest) => throughMessages(throughResponses(neutral))],
    ['responses and chat completions', (neutral: ChatRequest) => throughChat(throughResponses(neutral))],
    ['chat completions and messages', (neutral: ChatRequest) => throughMessages(throughChat(neutral))],
    ['messages and chat completions', (neutral: ChatRequest) => throughChat(throughMessages(neutral))],
  ])('when it is printed and read as %s', (_, send) => {
    fc.assert(
      fc.property(neutralRequest, (neutral) => {
        expect(meaning(send(neutral))).toEqual(meaning(neutral));
      }),
    );
  });
});

const tokens = fc.integer({ min: 0, max: 1_000_000 });

describe('token counts are the same after they were printed and read', () => {
  it('as chat completions', () => {
    const usage = fc.record({
      promptTokens: tokens,
      completionTokens: tokens,
      cachedTokens: tokens,
      reasoningTokens: tokens,
    });
    fc.assert(
      fc.property(usage, (counts: TokenUsage) => {
        expect(readUsage({ usage: printUsage({ usage: counts }) })).toEqual(counts);
      }),
    );
  });
  it('as messages, whose prompt tokens exclude cached ones', () => {
    const usage = fc
      .record({ fresh: tokens, completionTokens: tokens, cachedTokens: tokens, written: tokens, forHour: tokens })
      .map(
        ({ fresh, completionTokens, cachedTokens, written, forHour }): TokenUsage => ({
          promptTokens: fresh + cachedTokens + written,
          completionTokens,
          cachedTokens,
          cacheWriteTokens: written,
          cacheWriteHourTokens: Math.min(written, forHour),
        }),
      );
    fc.assert(
      fc.property(usage, (counts) => {
        expect(readMessagesUsage(printMessagesUsage({ usage: counts }))).toEqual(counts);
      }),
    );
  });
});
