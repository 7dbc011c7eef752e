import { z } from 'zod';
import { chatRequestSchema } from '../generation-api/chat-request.ts';
import { modelNameSchema } from '../generation-api/check-fields.ts';
import { feedbackSchema } from '../generation-api/feedback.ts';
import { imagenSchema, imagesSchema } from '../generation-api/picture-order.ts';
import type { Answer, Operation } from './operation.ts';

const failure = (description: string): Answer => ({ description, schema: 'Error' });

const REFUSALS = {
  400: failure('The body is not what it must be; `param` names the field.'),
  401: failure('No API key, or one that is not valid: `invalid_api_key`.'),
  404: failure('Nobody here knows the model: `model_not_found`.'),
  413: failure('The body is larger than 20 MiB: `request_too_large`.'),
  415: failure('The body is no JSON: `unsupported_media_type`.'),
  429: failure(
    'A limit is reached, of yours or of all providers of the model: `rate_limit_exceeded`, or `insufficient_quota` for the rest of the day. `Retry-After` says when.',
  ),
} satisfies Operation['answers'];

const FAILURES = {
  502: failure('Every provider of the model has failed: `upstream_error`.'),
  503: failure(
    'Not now: `unavailable` under load or at a restart, `service_unavailable` without the database, `upstream_unavailable` where all providers of the model refuse for now. `Retry-After` says when.',
  ),
} satisfies Operation['answers'];

const TIMEOUT = { 504: failure('No provider of the model has answered in time: `upstream_timeout`.') };

const MODEL_FIELD = 'Name of a model, of `GET /ai/openai/models`.';
const messages = [{ role: 'user', content: 'Hello!' }];

/** The routes under `/ai`. */
export const GENERATION_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/ai/openai/chat/completions',
    tag: 'OpenAI',
    summary: 'Chat completion',
    description:
      "OpenAI's protocol, for every OpenAI client. Fields that are not listed here (tools, response_format, temperature, …) go to the provider as they come, and its answer comes back byte for byte.",
    credential: 'api-key',
    body: {
      schema: chatRequestSchema.extend({ model: modelNameSchema }),
      fields: {
        model: MODEL_FIELD,
        messages:
          'The conversation in the order of time. Roles in any case; content is text or a list of content parts.',
        stream: '`true` streams the answer as server-sent events.',
        stream_options: '`include_usage` adds a last chunk with the tokens.',
        n: 'How many choices.',
        max_tokens: 'The longest answer, in tokens. The limits reserve as much.',
        max_completion_tokens: 'The same under its newer name.',
      },
      example: { model: 'demo', messages },
    },
    answers: {
      200: {
        description: 'The completion, or with `stream` its pieces.',
        schema: 'ChatCompletion',
        other: { 'text/event-stream': '`data: {chat.completion.chunk}`, one after the other, then `data: [DONE]`.' },
      },
      ...REFUSALS,
      ...FAILURES,
      ...TIMEOUT,
    },
  },
  {
    method: 'post',
    path: '/ai/openai/images/generations',
    tag: 'OpenAI',
    summary: 'Pictures',
    description: "OpenAI's protocol. Fields that are not listed here go to the provider.",
    credential: 'api-key',
    body: {
      schema: imagesSchema,
      fields: {
        model: 'Name of a model with type `image`. Unset: the default one.',
        prompt: 'What the pictures should show, up to 32 000 characters.',
        n: 'How many pictures.',
        size: '`<width>x<height>`, each 64 to 4096, or `auto`.',
        response_format: '`url` is a `data:` URL.',
        output_format: 'Unset: as the provider made it.',
        seed: 'The same seed draws the same picture, where the model knows seeds.',
        stream: 'Must not be `true`.',
        partial_images: 'Must not be set.',
      },
      example: { prompt: 'A lighthouse in the fog', size: '1024x1024' },
    },
    answers: { 200: { description: 'The pictures.', schema: 'Images' }, ...REFUSALS, ...FAILURES },
  },
  {
    method: 'get',
    path: '/ai/openai/models',
    tag: 'OpenAI',
    summary: 'All models',
    credential: 'api-key',
    answers: { 200: { description: 'What can be asked for now.', schema: 'ModelList' }, 401: REFUSALS[401] },
  },
  {
    method: 'get',
    path: '/ai/openai/models/{id}',
    tag: 'OpenAI',
    summary: 'One model',
    credential: 'api-key',
    parameters: [{ name: 'id', in: 'path', description: 'Its name; slashes in it stay as they are.' }],
    answers: { 200: { description: 'The model.', schema: 'Model' }, 401: REFUSALS[401], 404: REFUSALS[404] },
  },
  {
    method: 'post',
    path: '/ai/v2',
    tag: 'Native',
    summary: 'Text',
    description:
      'The answer has the documented fields and no others. A generation that fails after all is a 200 whose `finish_reason` is `error`.',
    credential: 'api-key',
    body: {
      schema: z.looseObject({ model: modelNameSchema, request: chatRequestSchema }),
      fields: { model: MODEL_FIELD, request: '`messages`, `stream`, and what else the provider knows.' },
      example: { model: 'demo', request: { messages } },
    },
    answers: {
      200: {
        description: 'The completion, or with `stream` its pieces.',
        schema: 'NativeCompletion',
        other: { 'text/event-stream': '`data: {chunk}`, one after the other, then `data: [DONE]`.' },
      },
      ...REFUSALS,
      503: FAILURES[503],
    },
  },
  {
    method: 'post',
    path: '/ai/imagen',
    tag: 'Native',
    summary: 'A picture',
    description: 'One picture in exactly the ratio that is asked for.',
    credential: 'api-key',
    body: {
      schema: imagenSchema,
      fields: {
        model: 'Name of a model with type `image`.',
        prompt: 'What the picture should show, up to 32 000 characters.',
        ratio: '`1:1` (default), `16:9`, `21:9`, `3:2`, `2:3`, `4:5`, `5:4`, `3:4`, `4:3`, `9:16` or `9:21`.',
      },
      example: { model: 'demo-image', prompt: 'A lighthouse in the fog', ratio: '16:9' },
    },
    answers: { 200: { description: 'The picture.', schema: 'Imagen' }, ...REFUSALS, ...FAILURES },
  },
  {
    method: 'post',
    path: '/ai/feedback',
    tag: 'Native',
    summary: 'Feedback',
    description:
      'What you think of an answer that you were given with a key of yours, streamed or not, text or picture. One opinion an answer: a later one takes its place.',
    credential: 'api-key',
    body: {
      schema: feedbackSchema,
      fields: {
        id: 'The `id` of the answer.',
        rating: '`null` takes an earlier opinion back.',
        comment: 'Up to 4000 characters, for whoever runs the service.',
      },
      example: { id: 'chatcmpl-123', rating: 'up', comment: 'Short and right.' },
    },
    answers: {
      200: { description: 'The opinion is kept.', schema: 'Feedback' },
      400: REFUSALS[400],
      401: REFUSALS[401],
      404: failure('You were not given an answer with this id: `reply_not_found`.'),
      413: REFUSALS[413],
      415: REFUSALS[415],
      503: FAILURES[503],
    },
  },
];
