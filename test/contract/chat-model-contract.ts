import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChatModel, ChatRequestBody, ChatStream } from '../../src/core/models/index.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';

/** A model under test and what takes it down. */
export interface ChatModelFixture {
  readonly model: ChatModel;
  /** A name that it serves. */
  readonly modelName: string;
  close(): Promise<void>;
}

/**
 * What everything that calls itself a ChatModel promises. The model must answer `hello` with at least two deltas and
 * finish with `stop`; `create` starts a fresh one for each test.
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

    const body = (fields: JsonObject = {}): ChatRequestBody => ({
      model: fixture.modelName,
      messages: [{ role: 'user', content: 'hello' }],
      ...fields,
    });

    it('gives a completion whose bytes, body and outcome agree', async () => {
      const completion = await fixture.model.complete({ body: body() }, controller.signal);
      expect(JSON.parse(completion.bytes.toString('utf8'))).toEqual(completion.body);
      expect(completion.body).toMatchObject({
        object: 'chat.completion',
        choices: [
          { index: 0, message: { role: 'assistant', content: expect.stringMatching(/./) }, finish_reason: 'stop' },
        ],
      });
      expect(completion.outcome).toMatchObject({
        id: completion.body.id,
        finishReason: 'stop',
        usage: { promptTokens: expect.any(Number), completionTokens: expect.any(Number) },
      });
    });

    it('streams the same text as it completes', async () => {
      const completion = await fixture.model.complete({ body: body() }, controller.signal);
      const stream = await fixture.model.stream({ body: body() }, controller.signal);
      const text = (await readEvents(stream)).map(textOf).join('');
      expect(completion.body).toMatchObject({ choices: [{ message: { content: text } }] });
    });

    it('streams whole events of chunks that share one id, and neither comments nor [DONE]', async () => {
      const stream = await fixture.model.stream({ body: body() }, controller.signal);
      const items: Buffer[] = [];
      for await (const item of stream) items.push(item);
      for (const item of items) expect(item.toString('utf8')).toMatch(/^(data: \{.*\}\n\n)+$/);
      const events = parseEvents(items);
      expect(new Set(events.map(({ id }) => id)).size).toBe(1);
      expect(events.every(({ object }) => object === 'chat.completion.chunk')).toBe(true);
    });

    it('knows how the stream went when it has ended', async () => {
      const stream = await fixture.model.stream({ body: body() }, controller.signal);
      expect(stream.outcome.finishReason).toBeUndefined();
      const events = await readEvents(stream);
      const deltas = events.filter((event) => textOf(event) !== '').length;
      expect(deltas).toBeGreaterThan(1);
      expect(stream.outcome).toMatchObject({
        id: events[0]?.id,
        finishReason: 'stop',
        usage: { promptTokens: expect.any(Number), completionTokens: expect.any(Number) },
        deltaCount: deltas,
      });
    });

    it('leaves the usage chunk out unless it was asked for', async () => {
      const events = await readEvents(await fixture.model.stream({ body: body() }, controller.signal));
      expect(events.every(({ choices }) => Array.isArray(choices) && choices.length > 0)).toBe(true);
      const asked = body({ stream_options: { include_usage: true } });
      const withUsage = await readEvents(await fixture.model.stream({ body: asked }, controller.signal));
      expect(withUsage.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    });

    it('throws the reason of a signal that was aborted before', async () => {
      const reason = new Error('changed my mind');
      controller.abort(reason);
      await expect(fixture.model.complete({ body: body() }, controller.signal)).rejects.toBe(reason);
      await expect(fixture.model.stream({ body: body() }, controller.signal)).rejects.toBe(reason);
    });

    it('throws the reason of a signal that aborts in the middle of the stream', async () => {
      const reason = new Error('enough');
      const stream = await fixture.model.stream({ body: body() }, controller.signal);
      const read = async () => {
        for await (const _ of stream) controller.abort(reason);
      };
      await expect(read()).rejects.toBe(reason);
      expect(stream.outcome.finishReason).toBeUndefined();
    });

    it('lets a reader leave in the middle of the stream', async () => {
      const stream = await fixture.model.stream({ body: body() }, controller.signal);
      for await (const _ of stream) break;
      expect(stream.outcome.finishReason).toBeUndefined();
    });
  });
}

/** Every chunk of a stream. */
async function readEvents(stream: ChatStream): Promise<JsonObject[]> {
  const items: Buffer[] = [];
  for await (const item of stream) items.push(item);
  return parseEvents(items);
}

function parseEvents(items: readonly Buffer[]): JsonObject[] {
  return Buffer.concat(items)
    .toString('utf8')
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice('data: '.length)));
}

function textOf(chunk: JsonObject): string {
  const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
  const delta = isJsonObject(choice) && isJsonObject(choice.delta) ? choice.delta : {};
  return typeof delta.content === 'string' ? delta.content : '';
}
