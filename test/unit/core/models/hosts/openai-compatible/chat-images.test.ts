import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImageRequest, ImageResult } from '../../../../../../src/core/models/index.ts';
import { systemClock } from '../../../../../../src/lib/clock.ts';
import type { JsonObject } from '../../../../../../src/lib/json/json.ts';
import { answerJson, openAiError } from '../../../../../support/hosts/fake-provider.ts';
import {
  failureOf,
  noAbort,
  type ProviderUnderTest,
  startProviderUnderTest,
} from '../../../../../support/hosts/provider-under-test.ts';
import { drawPng } from '../../../../../support/samples/media.ts';

const PICTURE = drawPng(64, 64);
const DATA_URL = `data:image/png;base64,${PICTURE.toString('base64')}`;
const MODEL = 'google/gemini-2.5-flash-image';

/** A chat completion with this message, as OpenRouter and Vercel's gateway answer. */
const said = (message: JsonObject, fields: JsonObject = {}) =>
  answerJson(200, {
    id: 'gen-1',
    object: 'chat.completion',
    model: MODEL,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '', ...message }, ...fields }],
  });
const images = (...urls: string[]) =>
  said({ content: 'Here it is.', images: urls.map((url) => ({ type: 'image_url', image_url: { url } })) });

let under: ProviderUnderTest;
const downloads: string[] = [];
beforeEach(async () => {
  downloads.length = 0;
  under = await startProviderUnderTest({ imageProtocol: 'chat' }, systemClock, async (url) => {
    downloads.push(url);
    return PICTURE;
  });
  under.host.behaveUsually(images(DATA_URL));
});
afterEach(() => under.close());

const draw = (fields: Partial<ImageRequest> = {}): Promise<ImageResult> => {
  const { image } = under.provider;
  if (!image) throw new Error('the provider draws nothing');
  const request = { model: MODEL, prompt: 'a red fox', ratio: { width: 1, height: 1 }, count: 1, ...fields };
  return image.generate(request, noAbort());
};
const bodies = () => under.host.chatRequests.map(({ body }) => body);

describe('a chat model that generates images', () => {
  it('is asked for an image', async () => {
    const result = await draw({ ratio: { width: 16, height: 9 }, seed: 3, extraFields: { quality: 'high' } });
    expect(under.host.chatRequests).toMatchObject([{ url: '/v1/chat/completions' }]);
    expect(bodies()).toEqual([
      {
        model: MODEL,
        messages: [{ role: 'user', content: 'a red fox' }],
        modalities: ['image', 'text'],
        image_config: { aspect_ratio: '16:9' },
        seed: 3,
      },
    ]);
    expect(result).toMatchObject({ images: [{ bytes: PICTURE }], provider: 'host', model: MODEL });
  });

  it.each([
    [9, 21, '9:16'],
    [21, 9, '21:9'],
    [1000, 1000, '1:1'],
    [7, 5, '4:3'],
  ])('generates %i:%i in the nearest supported ratio', async (width, height, name) => {
    await draw({ ratio: { width, height } });
    expect(bodies()).toMatchObject([{ image_config: { aspect_ratio: name } }]);
  });

  it('gets the image to edit', async () => {
    await draw({ sources: [PICTURE], prompt: 'make it blue' });
    expect(bodies()).toMatchObject([
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'make it blue' },
              { type: 'image_url', image_url: { url: DATA_URL } },
            ],
          },
        ],
      },
    ]);
  });

  it('gets all images to edit, but no mask', async () => {
    await draw({ sources: [PICTURE, PICTURE] });
    expect(JSON.stringify(bodies()[0]).split(DATA_URL)).toHaveLength(3);
    const failure = await failureOf(draw({ sources: [PICTURE], mask: PICTURE }));
    expect(failure).toMatchObject({ details: { param: 'mask', code: 'image_edit_unsupported' } });
    expect(bodies()).toHaveLength(1);
  });

  it.each([
    ['in `images`', { images: [{ image_url: { url: DATA_URL } }] }],
    [
      'as parts of the text',
      {
        content: [
          { type: 'text', text: 'Here' },
          { type: 'image_url', image_url: { url: DATA_URL } },
        ],
      },
    ],
    ['as inline data', { content: [{ inline_data: { mime_type: 'image/png', data: PICTURE.toString('base64') } }] }],
    [
      'in the format of Google',
      { content: [{ inlineData: { mimeType: 'image/png', data: PICTURE.toString('base64') } }] },
    ],
  ])('may answer with images %s', async (_, message) => {
    under.host.behave(said(message));
    expect((await draw()).images).toMatchObject([{ bytes: PICTURE }]);
  });

  it('may answer with addresses, which are downloaded', async () => {
    under.host.behave(images('https://pictures.test/1.png'));
    expect((await draw()).images).toMatchObject([{ bytes: PICTURE }]);
    expect(downloads).toEqual(['https://pictures.test/1.png']);
  });

  it('is at fault if the image is broken', async () => {
    under.host.behave(images(DATA_URL.slice(0, 80)));
    expect(await failureOf(draw())).toMatchObject({ name: 'ProviderUnavailableError' });
  });

  it('that can not write is asked for images alone, and from then on at once', async () => {
    const message = 'No endpoints found that support the requested output modalities: image, text';
    under.host.behave(answerJson(404, { error: { code: 404, message } }));
    await draw();
    await draw();
    expect(bodies().map(({ modalities }) => modalities)).toEqual([['image', 'text'], ['image'], ['image']]);
  });

  it('is asked without a ratio if it supports none', async () => {
    under.host.behave(answerJson(400, openAiError('Unknown parameter: image_config', 'unknown_parameter')));
    await draw();
    expect(bodies().map((body) => 'image_config' in body)).toEqual([true, false]);
  });

  it('refuses to edit if none of its hosts has vision', async () => {
    under.host.behaveUsually(
      answerJson(404, { error: { code: 404, message: 'No endpoints found that support image input' } }),
    );
    expect(await failureOf(draw({ sources: [PICTURE] }))).toMatchObject({
      name: 'ProviderRejectedError',
      status: 400,
      details: { param: 'image', code: 'image_edit_unsupported' },
    });
  });
});

describe('an answer without an image', () => {
  it.each([
    ['its finish reason', { content: 'I can’t draw that.' }, { finish_reason: 'content_filter' }],
    ['the host behind it', { content: 'I can’t draw that.' }, { native_finish_reason: 'IMAGE_SAFETY' }],
    ['its refusal', { refusal: 'I can’t draw that.' }, {}],
  ])('is a refusal if %s says so', async (_, message, fields) => {
    under.host.behave(said(message, fields));
    expect(await failureOf(draw())).toMatchObject({
      name: 'ProviderRejectedError',
      status: 400,
      details: { message: 'I can’t draw that.', code: 'content_policy_violation' },
    });
  });

  it('is otherwise a failure, and another provider is asked', async () => {
    under.host.behave(said({ content: `A fox\n\nis ${'very '.repeat(200)}red. sk-first-key` }));
    const error = await failureOf(draw());
    expect(error).toMatchObject({
      name: 'ProviderUnavailableError',
      message: expect.stringMatching(/^host answered with text instead of an image: A fox is very .{300,400}…$/),
    });
  });

  it.each([
    ['nothing', said({})],
    ['no choice', answerJson(200, { choices: [] })],
    ['an error in the choice', answerJson(200, { choices: [{ error: { code: 502, message: 'upstream failed' } }] })],
  ])('may be %s', async (_, behaviour) => {
    under.host.behave(behaviour);
    expect(await failureOf(draw())).toMatchObject({ name: 'ProviderUnavailableError' });
  });

  it('is a refusal of the prompt if the moderation of the host refuses', async () => {
    under.host.behave(answerJson(403, { error: { code: 403, message: 'Your input was flagged for "violence"' } }));
    expect(await failureOf(draw())).toMatchObject({ status: 400, details: { code: 'content_policy_violation' } });
  });
});

it('a model with vision is listed as able to edit', async () => {
  const modalities = (input_modalities: string[]) => ({
    architecture: { input_modalities, output_modalities: ['image'] },
  });
  under.host.behaveAtModels(
    answerJson(200, {
      data: [
        { id: 'flux.2-pro', ...modalities(['text', 'image']) },
        { id: 'flux.2', ...modalities(['text']) },
      ],
    }),
  );
  expect(await under.provider.listModels(noAbort())).toMatchObject([
    { id: 'flux.2-pro', type: 'image', acceptsImages: true },
    { id: 'flux.2', type: 'image', acceptsImages: false },
  ]);
});
