import type { Requester } from '../../../core/generation/index.ts';
import {
  type Catalogue,
  type ForwardedFields,
  findModelField,
  findPaidField,
  restrictCatalogue,
} from '../../../core/models/index.ts';
import { HttpError } from '../../../protocols/http-error.ts';
import type { HttpServices } from '../../services.ts';

/**
 * Wraps the services that call models: each refuses the models that the request's API key does not allow, and fields by
 * which a host may use or charge for something else, with 403. All routes of generation use these services.
 */
export function restrictModels(services: HttpServices): HttpServices {
  const { catalogue, generation, completions, embeddings, moderations, rerank, images, audio } = services;
  const restrict =
    <Request extends RestrictedRequest, Rest extends readonly unknown[], Answer>(
      send: (requester: Requester, request: Request, ...rest: Rest) => Promise<Answer>,
    ) =>
    async (requester: Requester, request: Request, ...rest: Rest): Promise<Answer> => {
      requireAllowed(catalogue, requester, request);
      return send(requester, request, ...rest);
    };
  return {
    ...services,
    generation: {
      complete: restrict(generation.complete),
      stream: restrict(generation.stream),
      countPromptTokens: restrict(generation.countPromptTokens),
    },
    completions: { complete: restrict(completions.complete), stream: restrict(completions.stream) },
    embeddings: { embed: restrict(embeddings.embed) },
    moderations: { moderate: restrict(moderations.moderate) },
    rerank: { rerank: restrict(rerank.rerank) },
    images: { generate: restrict(images.generate) },
    audio: {
      speak: restrict(audio.speak),
      transcribe: restrict(audio.transcribe),
      streamTranscript: restrict(audio.streamTranscript),
    },
  };
}

type RestrictedRequest = { readonly model: string } & ForwardedFields;

function requireAllowed(catalogue: Catalogue, { allowedModels }: Requester, request: RestrictedRequest): void {
  if (allowedModels === undefined) return;
  const field = findModelField(request);
  if (field) {
    throw notAllowed(`This API key may use certain models only. '${field}' lets a host answer with others.`, field);
  }
  const { model } = request;
  const restricted = restrictCatalogue(catalogue, allowedModels);
  if (!restricted.allows(model)) {
    const counts = `${restricted.list().length} of ${catalogue.list().length}`;
    throw notAllowed(`This API key may not use the model '${model}'. It allows ${counts} connected models.`, 'model');
  }
  const paid = findPaidField(request, (name) => catalogue.isFreeField(model, name));
  if (paid === undefined) return;
  const message = `This API key may use certain models only. A host may do and charge more because of '${paid}'.`;
  throw new HttpError({ ...REFUSED, code: 'model_price_unknown', message, param: paid });
}

const REFUSED = { status: 403, type: 'invalid_request_error' } as const;

function notAllowed(message: string, param: string): HttpError {
  return new HttpError({ ...REFUSED, code: 'model_not_allowed', message, param });
}
