import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GeneratedImages, GenerateImagesOptions } from '../../../core/generation/index.ts';
import { printImages } from '../../../protocols/openai-media/images/print-answer.ts';
import type { ImagesOptions } from '../../../protocols/openai-media/images/read-request.ts';
import { getHold, settleAnswer } from '../../server/bodies/holds.ts';
import { getRecord } from '../../server/request-log.ts';
import type { HttpServices } from '../../services.ts';
import { getRequestContext } from '../requests/request-context.ts';
import { sendJsonChunks } from './send-json-chunks.ts';

/** A PNG of 1024 × 1024 pixels has up to this size. */
const USUAL_IMAGE_BYTES = 3 * 1024 * 1024;

/**
 * Generates the images and sends them as OpenAI's images endpoints do.
 * @param model public name.
 */
export async function answerImages(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { params, model, responseFormat }: ImagesOptions & { readonly model: string },
  services: HttpServices,
): Promise<FastifyReply> {
  const made = await generateImages(request, { ...params, model }, services);
  const body = printImages(made, Math.floor(services.clock.now() / 1000), responseFormat);
  await sendJsonChunks(reply, body, services.clock);
  return reply;
}

/** Generates images, which count in the hold of the request: as expected from their turn on, as they are at the end. */
export async function generateImages(
  request: FastifyRequest,
  params: GenerateImagesOptions,
  services: HttpServices,
): Promise<GeneratedImages> {
  const { requester, signal } = getRequestContext(request);
  const hold = getHold(request);
  const onStart = () => hold.expect(Math.max(hold.expectedBytes, params.count * USUAL_IMAGE_BYTES));
  const made = await services.images.generate(requester, params, signal, undefined, onStart);
  settleAnswer(
    request,
    made.images.reduce((sum, { bytes }) => sum + bytes.length, 0),
  );
  getRecord(request).markAnswered({ provider: made.provider, model: made.providerModel });
  return made;
}
