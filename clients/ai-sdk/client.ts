/** Tests a running Switchboard with the Vercel AI SDK: one line `ok` or `failed` for each operation. */
import assert from 'node:assert/strict';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import {
  embedMany,
  generateImage,
  generateSpeech,
  generateText,
  type LanguageModel,
  Output,
  stepCountIs,
  streamText,
  tool,
  transcribe,
} from 'ai';
import packageJson from 'ai/package.json' with { type: 'json' };
import { z } from 'zod';

const baseURL = `${process.env['SWITCHBOARD_URL']}/v1`;
const apiKey = process.env['SWITCHBOARD_KEY'];
const model = process.env['SWITCHBOARD_CHAT_MODEL'] ?? '';
const openai = createOpenAI({ baseURL, apiKey });
const anthropic = createAnthropic({ baseURL, apiKey });

console.log('version', packageJson.version);
await testText(openai(model), ['responses', 'responses-stream', 'responses-tools', 'responses-structured']);
await testText(openai.chat(model), ['chat', 'chat-stream', 'tools', 'structured']);
await testText(anthropic(model), ['messages', 'messages-stream', 'messages-tools', 'messages-structured']);

await operation('completions', 'CHAT', async () => {
  assert((await generateText({ model: openai.completion(model), prompt: 'One, two,' })).text);
});

await operation('embeddings', 'EMBEDDING', async (name) => {
  const { embeddings } = await embedMany({ model: openai.embedding(name), values: ['one', 'two'] });
  assert(embeddings.length === 2 && embeddings[0]?.length);
});

await operation('speech', 'SPEECH', async (name) => {
  assert.equal(Buffer.from((await speak(name)).subarray(0, 4)).toString(), 'RIFF');
});

await operation('transcription', 'TRANSCRIPTION', async (name) => {
  const audio = await speak(process.env['SWITCHBOARD_SPEECH_MODEL'] ?? '');
  assert((await transcribe({ model: openai.transcription(name), audio })).text);
});

await operation('images', 'IMAGE', async (name) => {
  const { image } = await generateImage({ model: openai.image(name), prompt: 'a red fox', size: '512x512' });
  assert.equal(image.mediaType, 'image/png');
});

await operation('images-edit', 'IMAGE', async (name) => {
  const imageModel = openai.image(name);
  const { image } = await generateImage({ model: imageModel, prompt: 'a red fox', size: '512x512' });
  const prompt = { text: 'in snow', images: [image.uint8Array] };
  assert.equal((await generateImage({ model: imageModel, prompt, size: '512x512' })).image.mediaType, 'image/png');
});

async function testText(languageModel: LanguageModel, [text, stream, tools, structured]: string[]) {
  await operation(text, 'CHAT', async () => {
    const result = await generateText({ model: languageModel, prompt: 'Say hello.' });
    assert(result.text && result.usage.totalTokens);
  });

  await operation(stream, 'CHAT', async () => {
    let failure: unknown;
    const onError = ({ error }: { error: unknown }) => {
      failure = error;
    };
    const deltas = await Array.fromAsync(
      streamText({ model: languageModel, prompt: 'Say hello.', onError }).textStream,
    );
    if (failure) throw failure;
    assert(deltas.length > 1);
  });

  await operation(tools, 'CHAT', async () => {
    const cities: string[] = [];
    const getWeather = tool({
      description: 'Returns the weather of a city.',
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => {
        cities.push(city);
        return '21 degrees';
      },
    });
    const result = await generateText({
      model: languageModel,
      prompt: 'What is the weather in Paris? Call get_weather.',
      tools: { get_weather: getWeather },
      // The first answer must call the tool, the second must not.
      prepareStep: ({ stepNumber }) => ({ toolChoice: stepNumber === 0 ? 'required' : 'auto' }),
      stopWhen: stepCountIs(3),
    });
    assert.equal(cities.length, 1);
    assert(result.text);
  });

  await operation(structured, 'CHAT', async () => {
    const output = Output.object({ schema: z.object({ name: z.string(), inhabitants: z.number() }) });
    const result = await generateText({ model: languageModel, prompt: 'Describe Paris.', output });
    assert.equal(typeof result.output.inhabitants, 'number');
  });
}

async function speak(name: string): Promise<Uint8Array> {
  const speech = await generateSpeech({ model: openai.speech(name), text: 'Hello, world.', outputFormat: 'wav' });
  return speech.audio.uint8Array;
}

/** Reports the outcome of `run`, or nothing if the service has no model of the type. */
async function operation(name: string | undefined, type: string, run: (model: string) => Promise<void>) {
  const operationModel = process.env[`SWITCHBOARD_${type}_MODEL`];
  if (!operationModel) return;
  try {
    await run(operationModel);
    console.log(`ok ${name}`);
  } catch (error) {
    console.log(`failed ${name}: ${error}`);
    process.exitCode = 1;
  }
}
