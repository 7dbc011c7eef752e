import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { GeneratedImages } from '../../../core/generation/index.ts';
import { unixSecondsSchema, userSchema } from '../../../protocols/fields/field-schemas.ts';
import { parseJsonBody } from '../../server/bodies/json-body.ts';
import { describeResponse } from '../../server/openapi.ts';
import type { HttpServices } from '../../services.ts';
import { FAILURES, REFUSALS } from '../requests/documented-errors.ts';
import { getRequestContext } from '../requests/request-context.ts';
import { imagenSchema, toImagenOptions } from './image-options.ts';
import { generateImages } from './images-answer.ts';
import { type JsonChunk, joinJsonChunks, sendJsonChunks } from './send-json-chunks.ts';

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
