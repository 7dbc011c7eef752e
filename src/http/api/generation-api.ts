import type { FastifyInstance } from 'fastify';
import { addChatCompletions } from './chat-completions/chat-completions.ts';
import { addFeedback } from './feedback/feedback.ts';
import type { GenerationApiDeps } from './generation-api-deps.ts';
import { createImageDeliveries } from './images/image-deliveries.ts';
import { addImagen } from './images/imagen.ts';
import { addImagesGenerations } from './images/images-generations.ts';
import { addModels } from './models/models.ts';
import { addNativeText } from './native/native-text.ts';
import { installRequestContext } from './request-context.ts';

/**
 * Adds all routes under `/ai`. Must be registered in a context of its own, because its hooks and body parser are for
 * these routes only.
 */
export function addGenerationApi(server: FastifyInstance, deps: GenerationApiDeps): void {
  installRequestContext(server, deps);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  addChatCompletions(server, deps);
  addImages(server, deps);
  addModels(server, deps.catalogue);
  addNativeText(server, deps);
  addFeedback(server, deps);
}

function addImages(server: FastifyInstance, deps: GenerationApiDeps): void {
  const { drainTimeoutMs, imageBytes } = deps.limits;
  const deliveries = createImageDeliveries({ clock: deps.clock, drainTimeoutMs, maxBytes: imageBytes });
  addImagen(server, { ...deps, deliveries });
  addImagesGenerations(server, { ...deps, deliveries });
}
