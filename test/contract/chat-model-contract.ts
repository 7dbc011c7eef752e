import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChatModel, ChatPart, ChatRequest, ChatStream } from '../../src/core/models/index.ts';

/** A model under test and its cleanup. */
export interface ChatModelFixture {
  readonly model: ChatModel;
  /** A name that the model serves. */
  readonly modelName: string;
  close(): Promise<void>;
}

/**
 * Tests the contract of every ChatModel. The model must answer `hello` with at least two deltas and finish with `stop`.
 * `create` starts a new model for each test.
 */
export function describeChatModel(name: string, create: () => Promise<ChatModelFixture>): void {
  describe(`${name} as a chat model`, () => {
    let fixture: ChatModelFixture;
    let controller: AbortController;
    beforeEach(async () => {
      fixture = await create();
      controller = new AbortController();
    });
    afterEach(() => fixture.close());

    const request = (): ChatRequest => ({
      model: fixture.modelName,
      messages: [{ role: 'user', content: 'hello' }],
    });

    it('returns a completion with text, finish reason and usage', async () => {
      const { choices, outcome } = await fixture.model.complete(request(), controller.signal);
      expect(choices).toMatchObject([{ text: expect.stringMatching(/./), toolCalls: [], finishReason: 'stop' }]);
      expect(outcome).toMatchObject({
        id: expect.stringMatching(/./),
        reportedModel: expect.stringMatching(/./),
        createdAt: expect.any(Number),
        finishReason: 'stop',
        usage: { promptTokens: expect.any(Number), completionTokens: expect.any(Number) },
      });
    });

    it('streams the same text as the completion', async () => {
      const { choices } = await fixture.model.complete(request(), controller.signal);
      const parts = await readParts(await fixture.model.stream(request(), controller.signal));
      expect(parts.map(textOf).join('')).toBe(choices[0]?.text);
    });

    it('ends a stream with one finish reason and the usage, and exposes both after the end', async () => {
      const stream = await fixture.model.stream(request(), controller.signal);
      expect(stream.outcome.finishReason).toBeUndefined();
      expect(stream.outcome.id).toMatch(/./);
      const parts = await readParts(stream);
      const deltas = parts.filter(({ type }) => type === 'text-delta').length;
      expect(deltas).toBeGreaterThan(1);
      expect(parts.filter(({ type }) => type === 'finish')).toEqual([{ type: 'finish', choice: 0, reason: 'stop' }]);
      const usage = expect.objectContaining({ promptTokens: expect.any(Number), completionTokens: expect.any(Number) });
      expect(parts.at(-1)).toEqual({ type: 'usage', usage });
      expect(stream.outcome).toMatchObject({ finishReason: 'stop', usage, deltaCount: deltas });
    });

    it('throws the reason of a signal that was aborted before the call', async () => {
      const reason = new Error('changed my mind');
      controller.abort(reason);
      await expect(fixture.model.complete(request(), controller.signal)).rejects.toBe(reason);
      await expect(fixture.model.stream(request(), controller.signal)).rejects.toBe(reason);
    });

    it('throws the reason of a signal that aborts during the stream', async () => {
      const reason = new Error('enough');
      const stream = await fixture.model.stream(request(), controller.signal);
      const read = async () => {
        for await (const _ of stream) controller.abort(reason);
      };
      await expect(read()).rejects.toBe(reason);
      expect(stream.outcome.finishReason).toBeUndefined();
    });

    it('lets a reader stop in the middle of the stream', async () => {
      const stream = await fixture.model.stream(request(), controller.signal);
      for await (const _ of stream) break;
      expect(stream.outcome.finishReason).toBeUndefined();
    });
  });
}

async function readParts(stream: ChatStream): Promise<readonly ChatPart[]> {
  const parts: ChatPart[] = [];
  for await (const event of stream) parts.push(...event.parts);
  return parts;
}

function textOf(part: ChatPart): string {
  return part.type === 'text-delta' ? part.text : '';
}
