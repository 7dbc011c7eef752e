import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { GeneratedImages, GenerateImagesOptions } from '../../../core/generation/index.ts';
import { ASPECT_RATIOS, DEFAULT_RATIO, parseRatio } from '../../../core/images/index.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { checkFields, refuseLookalikes, toKnownFields } from '../../../protocols/fields/check-fields.ts';
import { modelNameSchema, unixSecondsSchema, userSchema } from '../../../protocols/fields/field-schemas.ts';
import { type JsonChunk, joinJsonChunks } from '../../../protocols/openai-media/images/print-answer.ts';
import { promptSchema } from '../../../protocols/openai-media/images/read-request.ts';
import { parseJsonBody } from '../../server/bodies/json-body.ts';
import { describeResponse } from '../../server/openapi.ts';
import type { HttpServices } from '../../services.ts';
import { FAILURES, REFUSALS } from '../requests/documented-errors.ts';
import { getRequestContext } from '../requests/request-context.ts';
import { generateImages } from './images-answer.ts';
import { sendJsonChunks } from './send-json-chunks.ts';

const RATIO_PROBLEM = `must be one of ${ASPECT_RATIOS.join(', ')}`;

/** Schema of the body of `POST /ai/imagen`. */
const imagenSchema = z.object({
  model: modelNameSchema.describe('Name of a model with type `image`.'),
  prompt: promptSchema.describe('Description of the image, up to 32 000 characters.'),
  ratio: z
    .string(RATIO_PROBLEM)
    .nullish()
    .transform((ratio) => ratio ?? DEFAULT_RATIO)
    .transform((name, check) => {
      const numbers = parseRatio(name);
      if (numbers) return { name, numbers };
      check.addIssue(RATIO_PROBLEM);
      return z.NEVER;
    })
    .describe('`1:1` (default), `16:9`, `21:9`, `3:2`, `2:3`, `4:5`, `5:4`, `3:4`, `4:3`, `9:16` or `9:21`.'),
});

const IMAGEN_FIELDS = toKnownFields(Object.keys(imagenSchema.shape));
/** Validated request of `POST /ai/imagen`. */
interface ImagenOptions {
  readonly params: GenerateImagesOptions;
  /** As given by the client: `16:9`. */
  readonly ratio: string;
}

/**
 * Validates the body of `POST /ai/imagen`. Unknown fields are ignored.
 * @throws HttpError 400 with `param`.
 */
function toImagenOptions(fields: JsonObject): ImagenOptions {
  refuseLookalikes(fields, IMAGEN_FIELDS);
  const { model, prompt, ratio } = checkFields(imagenSchema, fields);
  return { params: { model, prompt, ratio: ratio.numbers, count: 1 }, ratio: ratio.name };
}

const imageAnswerSchema = z
  .strictObject({
    id: z.string(),
    created: unixSecondsSchema,
    model: z.string().describe('Name of the requested model.'),
    files: z.array(z.string()).describe('One image: a PNG, JPEG or WebP file in base64.'),
    size: z.strictObject({ width: z.int(), height: z.int() }).describe('Size of the image in pixels.'),
    ratio: z.string().describe('The requested ratio.'),
    'elapsed-time': z.number().describe('Seconds of work, without the time in the queue.'),
    usage: z.int().describe('Equivalent in tokens: a 750th of the pixels.'),
    user: userSchema,
  })
  .meta({ id: 'Imagen' });

const SCHEMA = {
  tags: ['Native'],
  summary: 'Generate an image',
  description:
    'One image in exactly the requested ratio, whatever sizes its model supports; `/ai/openai/images/generations` takes sizes as OpenAI does.',
  security: [{ 'api-key': [] }],
  body: imagenSchema.meta({
    examples: [{ model: 'demo-image', prompt: 'A lighthouse in the fog', ratio: '16:9' }],
  }),
  response: { 200: describeResponse('The image.', imageAnswerSchema), ...REFUSALS, ...FAILURES },
};

/**
 * Adds `POST /ai/imagen`, the service's own image interface: one image per request. Failures have their HTTP status.
 */
export function addImagen(server: FastifyInstance, services: HttpServices): void {
  server.post('/ai/imagen', { schema: SCHEMA }, async (request, reply) => {
    const { params, ratio } = toImagenOptions(await parseJsonBody(request.body));
    const { requester } = getRequestContext(request);
    const made = await generateImages(request, params, services);
    const created = Math.floor(services.clock.now() / 1000);
    const body = toImagenBody(made, { created, model: params.model, ratio, user: requester.userId });
    await sendJsonChunks(reply, body, services.clock);
    return reply;
  });
}

interface ImagenFacts {
  /** Unix seconds. */
  readonly created: number;
  /** The requested public model name. */
  readonly model: string;
  readonly ratio: string;
  /** The user's id. */
  readonly user: number;
}

function toImagenBody(made: GeneratedImages, { created, model, ratio, user }: ImagenFacts): JsonChunk[] {
  const { id, images, elapsedMs, tokens } = made;
  const [first] = images;
  const size = { width: first?.width ?? 0, height: first?.height ?? 0 };
  // Always with decimals: some languages parse `1` and `1.0` to different types.
  const seconds = (Math.max(1, elapsedMs) / 1000).toFixed(3);
  return [
    `{"id":${JSON.stringify(id)},"created":${created},"model":${JSON.stringify(model)},"files":[`,
    ...joinJsonChunks(images.map(({ bytes }) => ['"', bytes, '"'])),
    `],"size":${JSON.stringify(size)},"ratio":${JSON.stringify(ratio)},"elapsed-time":${seconds},"usage":${tokens},"user":${user}}`,
  ];
}
