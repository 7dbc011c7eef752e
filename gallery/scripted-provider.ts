import { createDemoImage } from '../demo/demo-image.ts';
import { systemClock } from '../src/lib/clock.ts';
import { isJsonObject, type JsonObject } from '../src/lib/json/json.ts';
import {
  answerJson,
  answerRaw,
  type Behaviour,
  type FakeProvider,
  sseEvent,
  startFakeProvider,
} from '../test/support/hosts/fake-provider.ts';
import { toWav } from '../test/support/samples/media.ts';
import { findReply, HEARD_WORDS, type ScriptedReply } from './replies.ts';

/** Delay between two chunks of an answer: fast, but slow enough that the answer visibly grows. */
const PIECE_MS = 15;
const PIECE_CHARACTERS = 24;
const SIDE = 1024;

/** Starts a provider with deterministic answers. */
export async function startScriptedProvider(): Promise<FakeProvider> {
  const provider = await startFakeProvider();
  provider.behaveUsually(answerByScript);
  provider.behaveElsewhere(drawListenOrSpeak());
  return provider;
}

const answerByScript: Behaviour = async ({ request, response, gone, wait }) => {
  const messages = Array.isArray(request.body['messages']) ? request.body['messages'].filter(isJsonObject) : [];
  const isAfterTools = messages.at(-1)?.['role'] === 'tool';
  const question = textOf(messages.findLast(({ role }) => role === 'user'));
  const reply = findReply(question, String(request.body['model']));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta: JsonObject, finishReason: string | null = null) =>
    response.write(sseEvent(toChunk(request.body['model'], delta, finishReason)));
  if (reply.toolCalls && !isAfterTools) {
    send({ role: 'assistant', tool_calls: reply.toolCalls.map(toToolCall) }, 'tool_calls');
    return void response.end('data: [DONE]\n\n');
  }
  for (const [field, text] of listParts(reply)) {
    for (let at = 0; at < text.length && !gone.aborted; at += PIECE_CHARACTERS) {
      send({ [field]: text.slice(at, at + PIECE_CHARACTERS) });
      await wait(PIECE_MS);
    }
  }
  // Keeps the answer unfinished while the screenshot is taken.
  if (reply.isHeld) await wait(60_000);
  send({}, reply.finishReason ?? 'stop');
  response.end('data: [DONE]\n\n');
};

function listParts({ thoughts = '', text }: ScriptedReply): readonly (readonly [field: string, text: string])[] {
  return [
    ['reasoning_content', thoughts],
    ['content', text],
  ];
}

function toToolCall({ name, input }: NonNullable<ScriptedReply['toolCalls']>[number], index: number) {
  return { index, id: `call_${index}`, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

function toChunk(model: unknown, delta: JsonObject, finishReason: string | null): JsonObject {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return { id: 'chatcmpl-gallery', object: 'chat.completion.chunk', created: 1_790_000_000, model, choices };
}

function textOf(message: JsonObject | undefined): string {
  const content = message?.['content'];
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  return parts.map(({ text }) => (typeof text === 'string' ? text : '')).join(' ');
}

const painter = createDemoImage({ clock: systemClock, random: () => 0.5 }, { provider: 'gallery', imageMs: 0 });

/** Returns an image for users to send. */
export async function drawLandscape(): Promise<Buffer<ArrayBuffer>> {
  const size = { width: 960, height: 540 };
  const order = { model: 'demo-image', prompt: 'evening in the hills', ratio: size, size, count: 1, seed: 11 };
  const { images } = await painter.generate(order, AbortSignal.timeout(30_000));
  return Buffer.from(images[0]?.bytes ?? []);
}

/** Generates images with the demonstration provider, and responds with a fixed transcript and with a tone as speech. */
function drawListenOrSpeak(): Behaviour {
  return async (exchange) => {
    const { url, body } = exchange.request;
    if (url.endsWith('/audio/transcriptions')) return answerJson(200, { text: HEARD_WORDS })(exchange);
    if (url.endsWith('/audio/speech')) return answerRaw(200, 'audio/wav', toWav(7))(exchange);
    const [width = SIDE, height = SIDE] =
      String(body['size'] ?? '')
        .match(/\d+/g)
        ?.map(Number) ?? [];
    const order = {
      model: 'demo-image',
      prompt: String(body['prompt']),
      ratio: { width, height },
      size: { width, height },
      count: Number(body['n'] ?? 1),
      seed: 7,
    };
    const { images } = await painter.generate(order, exchange.gone);
    const data = images.map(({ bytes }) => ({ b64_json: bytes.toString('base64') }));
    return answerJson(200, { created: 1_790_000_000, data })(exchange);
  };
}
