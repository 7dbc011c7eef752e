import type { FastifyInstance } from 'fastify';
import type { GeneratedPictures } from '../../core/generation/index.ts';
import { parseJsonBody } from '../json-body.ts';
import { getRecord } from '../request-log.ts';
import { getExchange } from './exchange.ts';
import type { PicturesDeps } from './generation-api-deps.ts';
import { toImagenOrder } from './picture-order.ts';
import { type JsonPiece, joinJsonPieces } from './send-json-pieces.ts';

/** `POST /ai/imagen`: the service's own interface for pictures, one a request. Failures have their HTTP status. */
export function addImagen(server: FastifyInstance, deps: PicturesDeps): void {
  server.post('/ai/imagen', async (request, reply) => {
    const { order, ratio } = toImagenOrder(parseJsonBody(request.body));
    const { caller, signal } = getExchange(request);
    deps.deliveries.requireRoom();
    const made = await deps.images.generate(caller, order, signal);
    getRecord(request).noteAnswered({
      outcome: { provider: made.provider, model: made.providerModel, finishReason: undefined },
    });
    const created = Math.floor(deps.clock.now() / 1000);
    const body = toImagenBody(made, { created, model: order.model, ratio, user: caller.personId });
    await deps.deliveries.send(reply, body);
    return reply;
  });
}

interface ImagenFacts {
  /** Unix seconds. */
  readonly created: number;
  /** The public name that was asked for. */
  readonly model: string;
  readonly ratio: string;
  /** The person's id. */
  readonly user: number;
}

function toImagenBody(made: GeneratedPictures, { created, model, ratio, user }: ImagenFacts): JsonPiece[] {
  const { id, pictures, elapsedMs, tokens } = made;
  const [first] = pictures;
  const size = { width: first?.width ?? 0, height: first?.height ?? 0 };
  // With a point even where the seconds are whole: some languages tell numbers with one from those without.
  const seconds = (Math.max(1, elapsedMs) / 1000).toFixed(3);
  return [
    `{"id":${JSON.stringify(id)},"created":${created},"model":${JSON.stringify(model)},"files":[`,
    ...joinJsonPieces(pictures.map(({ bytes }) => ['"', bytes, '"'])),
    `],"size":${JSON.stringify(size)},"ratio":${JSON.stringify(ratio)},"elapsed-time":${seconds},"usage":${tokens},"user":${user}}`,
  ];
}
