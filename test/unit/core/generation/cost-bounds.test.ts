import { describe, expect, it } from 'vitest';
import { boundSpeechCost, boundTranscriptCost } from '../../../../src/core/generation/metering/audio-bounds.ts';
import { boundChatCost, boundImageCost } from '../../../../src/core/generation/metering/cost-bounds.ts';
import { boundPromptTokens } from '../../../../src/core/generation/metering/prompt-bound.ts';
import type { ChatRequest } from '../../../../src/core/models/index.ts';
import { toWavFile } from '../../../../src/lib/formats/wav.ts';
import { writePdf } from '../../../support/samples/documents.ts';

const chat = (fields: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'm',
  messages: [{ role: 'user', content: 'Hi' }],
  ...fields,
});

describe('the tokens of a prompt', () => {
  it.each(['plain English', '👨‍👩‍👧‍👦', 'สวัสดี', '0123456789', 'aGVsbG8=', '\u0001\u0002', '𐘀𐘁'])(
    'are at most the bytes of %j',
    (text) => {
      expect(boundPromptTokens(chat({ messages: [{ role: 'user', content: text }] }))).toBeGreaterThan(
        Buffer.byteLength(text),
      );
    },
  );

  it('include tools, schemas, calls, images and files, but not the bytes of the latter', () => {
    const url = `data:image/png;base64,${'A'.repeat(1_000_000)}`;
    const content = [{ type: 'image', url } as const, { type: 'file', url } as const];
    const bound = boundPromptTokens(chat({ messages: [{ role: 'user', content }] }));
    expect(bound).toBeGreaterThan(2 * 8192);
    expect(bound).toBeLessThan(20_000);
    const schema = { type: 'object', description: 'x'.repeat(5000) };
    expect(boundPromptTokens(chat({ tools: [{ name: 't', parameters: schema }] }))).toBeGreaterThan(5000);
    expect(boundPromptTokens(chat({ responseFormat: { type: 'json', schema } }))).toBeGreaterThan(5000);
  });
});

describe('the tokens of a prompt that a client has sent', () => {
  const WORDS = 'x'.repeat(5000);
  const bound = (dialect: 'chat-completions' | 'messages', body: object) =>
    boundPromptTokens(chat({ native: { dialect, body: { model: 'm', ...body } } }));

  it.each<readonly ['chat-completions' | 'messages', object]>([
    ['chat-completions', { tools: [{ type: 'custom', custom: { name: 'c', description: WORDS } }] }],
    ['chat-completions', { functions: [{ name: 'f', description: WORDS }] }],
    ['chat-completions', { system: WORDS }],
    ['chat-completions', { response_format: { type: 'json_object', schema: { description: WORDS } } }],
    ['chat-completions', { messages: [{ role: 'user', content: 'Hi', name: WORDS }] }],
    ['chat-completions', { messages: [{ role: 'assistant', function_call: { name: 'f', arguments: WORDS } }] }],
    ['messages', { tools: [{ name: 't', input_schema: { description: WORDS } }] }],
    ['messages', { messages: [{ role: 'assistant', content: [{ type: 'thinking', thinking: WORDS }] }] }],
  ])('include what is not translated: %s %j', (dialect, body) => {
    expect(bound(dialect, body)).toBeGreaterThan(5000);
  });

  it('include files that are given as images', () => {
    const toBound = (url: string) =>
      boundPromptTokens(chat({ messages: [{ role: 'user', content: [{ type: 'image', url }] }] }));
    const video = Buffer.alloc(60_000).toString('base64');
    expect(toBound(`data:video/mp4;base64,${video}`)).toBeGreaterThan(50_000);
    expect(toBound(`data:image/png;base64,${video}`)).toBeLessThan(10_000);
    expect(toBound('https://example.org/a.png')).toBeLessThan(10_000);
  });
});

describe('the tokens of a file', () => {
  const toUrl = (bytes: Buffer, type = 'application/pdf') => `data:${type};base64,${bytes.toString('base64')}`;
  const boundFile = (url: string, contextLength?: number) =>
    boundPromptTokens(chat({ messages: [{ role: 'user', content: [{ type: 'file', url }] }] }), contextLength) -
    boundPromptTokens(chat({ messages: [{ role: 'user', content: '' }] }));

  it('are those of the pages of a PDF, at most the context of the model', () => {
    const pdf = toUrl(writePdf(['one', 'two', 'three']));
    expect([boundFile(pdf), boundFile(pdf, 200_000), boundFile(pdf, 10_000)]).toEqual([24_576, 24_576, 10_000]);
  });

  it('are the context if its pages can not be counted', () => {
    const hidden = toUrl(Buffer.from('%PDF-1.7 no page tree'));
    for (const url of [hidden, 'https://example.org/a.pdf', 'no address'])
      expect([boundFile(url, 200_000), boundFile(url)]).toEqual([200_000, 1_000_000]);
  });

  it('are the bytes of a text', () => {
    expect(boundFile(toUrl(Buffer.from('x'.repeat(300)), 'text/plain'), 200_000)).toBe(300);
  });
});

describe('the cost of a chat completion', () => {
  const PROMPT = { promptTokens: 1000 };
  it('is that of the dearest target, of cache writes and of reasoning', () => {
    const prices = [
      { input: 1, output: 2 },
      { input: 2, cacheWrite: 4, output: 1, reasoning: 10 },
    ];
    expect(boundChatCost(chat({ maxOutputTokens: 100, choiceCount: 3 }), prices, PROMPT)?.mostUsd).toBe(
      (4 * 1000 + 10 * 300) / 1e6,
    );
  });

  it('is unknown if one target has no price', () => {
    expect(boundChatCost(chat(), undefined, PROMPT)).toBeUndefined();
    expect(boundChatCost(chat(), [], PROMPT)).toBeUndefined();
    expect(boundChatCost(chat(), [{ input: 1, output: 1 }, { image: 1 }], PROMPT)).toBeUndefined();
  });

  it('is 0 for free models, which keep their length', () => {
    const cost = boundChatCost(chat(), [{ input: 0, output: 0 }], PROMPT);
    expect(cost).toMatchObject({ leastUsd: 0, mostUsd: 0 });
    expect(cost?.limitLength(chat(), 0)).toMatchObject({ maxOutputTokens: 32_768, optional: ['maxOutputTokens'] });
  });

  it('of long prompts and of single requests is included', () => {
    const price = { input: 1, output: 1, request: 0.5, longPrompt: [{ above: 999, input: 3, output: 5 }] };
    expect(boundChatCost(chat({ maxOutputTokens: 1000 }), [price], PROMPT)?.mostUsd).toBe(0.508);
  });

  it('never exceeds what was granted after the length was limited', () => {
    const price = { input: 3, output: 15 };
    for (const grantedUsd of [0.0184, 0.02, 0.123456789]) {
      const request = chat({ maxOutputTokens: 20_000, optional: ['maxOutputTokens', 'temperature'] });
      const limited = boundChatCost(request, [price], PROMPT)?.limitLength(request, grantedUsd);
      expect((3 * 1000 + 15 * (limited?.maxOutputTokens ?? 0)) / 1e6).toBeLessThanOrEqual(grantedUsd);
      expect(limited?.optional).toEqual(['temperature']);
    }
  });
});

describe('the cost of', () => {
  const AUDIO = { audioMinute: 0.6 };
  it('images is the dearer of their prices', () => {
    expect(boundImageCost({ count: 2, prompt: 'x' }, [{ image: 0.04 }, { image: 0.05 }])?.mostUsd).toBe(0.1);
    expect(boundImageCost({ count: 1, prompt: 'x' }, [{ input: 5, imageOutput: 40 }])?.mostUsd).toBeGreaterThan(0.32);
    expect(boundImageCost({ count: 1, prompt: 'x' }, [{ input: 5, output: 40 }])).toBeUndefined();
  });

  it('images is that of the dearest quality and size that the request can reach', () => {
    const imageRates = [
      { quality: 'standard', size: '1024x1024', usd: 0.04 },
      { quality: 'standard', size: '1024x1792', usd: 0.08 },
      { quality: 'hd', usd: 0.12 },
    ];
    const most = (quality?: unknown) =>
      boundImageCost({ count: 2, prompt: 'x', extraFields: { quality } }, [{ image: 0.12, imageRates }])?.mostUsd;
    expect([undefined, null, 'auto', 'AUTO', 'HD', 'standard'].map(most)).toEqual([0.24, 0.24, 0.24, 0.24, 0.24, 0.16]);
    expect(['ultra', '', ['hd'], { hd: 1 }, 7].map(most)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('speech is by characters, or by the longest time they may last', () => {
    expect(boundSpeechCost('a'.repeat(1000), [{ characters: 15 }])?.mostUsd).toBe(0.015);
    expect(boundSpeechCost('a'.repeat(150), [AUDIO])?.mostUsd).toBeCloseTo(0.6);
    expect(boundSpeechCost('a', [{ image: 1 }])).toBeUndefined();
  });

  it('transcripts is by the duration, which is a day if it is not known', () => {
    expect(boundTranscriptCost(toWavFile(Buffer.alloc(60_000), 1000), [AUDIO])?.mostUsd).toBeCloseTo(0.6);
    expect(boundTranscriptCost(toWavFile(Buffer.alloc(60_000), 1), [AUDIO])?.mostUsd).toBeCloseTo(600);
    expect(boundTranscriptCost(Buffer.alloc(0), [AUDIO])?.mostUsd).toBeCloseTo(0.6 * 24 * 60);
    expect(boundTranscriptCost(Buffer.alloc(10), undefined)).toBeUndefined();
  });
});
