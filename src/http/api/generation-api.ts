import type { FastifyInstance } from 'fastify';
import { installHolds } from '../server/bodies/holds.ts';
import type { HttpServices } from '../services.ts';
import { addSpeech } from './audio/speech.ts';
import { addSpeechCatalogue } from './audio/speech-catalogue.ts';
import { addTranscriptions } from './audio/transcriptions.ts';
import { addChatCompletions } from './chat-completions.ts';
import { addCompletions } from './completions.ts';
import { addEmbeddings } from './embeddings.ts';
import { addFeedback } from './feedback.ts';
import { addImagen } from './images/imagen.ts';
import { addImagesEdits } from './images/images-edits.ts';
import { addImagesGenerations } from './images/images-generations.ts';
import { addCountTokens } from './messages/count-tokens.ts';
import { addMessages } from './messages/messages.ts';
import { addMessagesModels } from './messages/messages-models.ts';
import { addModels } from './models.ts';
import { addModerations } from './moderations.ts';
import { addNativeText } from './native/native-text.ts';
import { installForms } from './requests/forms.ts';
import { installIdempotency } from './requests/install-idempotency.ts';
import { getRequestContext, installRequestContext } from './requests/request-context.ts';
import { restrictModels } from './requests/restrict-models.ts';
import { addRerank } from './rerank.ts';
import { addResponses } from './responses/responses.ts';

/**
 * Adds all routes under `/ai`. Must be registered in a context of its own, because its hooks and body parser are for
 * these routes only.
 */
export function addGenerationApi(server: FastifyInstance, unrestricted: HttpServices): void {
  const deps = restrictModels(unrestricted);
  installRequestContext(server, deps);
  installHolds(server, deps, (request) => getRequestContext(request).requester.userId);
  installIdempotency(server, deps);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  addChatCompletions(server, deps);
  addResponses(server, deps);
  addCompletions(server, deps);
  addEmbeddings(server, deps);
  addModerations(server, deps);
  addRerank(server, deps);
  addMessages(server, deps);
  addCountTokens(server, deps);
  addMessagesModels(server);
  addImagen(server, deps);
  addImagesGenerations(server, deps);
  addModels(server);
  addNativeText(server, deps);
  addFeedback(server, deps);
  addSpeech(server, deps);
  addSpeechCatalogue(server);
  // A context of its own: other routes don't parse forms.
  server.register((context, _options, done) => {
    installForms(context);
    addImagesEdits(context, deps);
    addTranscriptions(context, deps);
    done();
  });
}
