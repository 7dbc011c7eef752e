import { ProviderRejectedError } from '../models/index.ts';
import type { ChatGeneration } from './chat-generation.ts';

/** Far more than anybody offers. */
const MAX_MODELS = 10_000;

/**
 * A generation that does without a temperature where a model's provider refuses one: it is asked again without, and the model is
 * remembered for the life of the process. For requests in which a temperature is a wish and no order.
 */
export function createTemperatureFallback(generation: Pick<ChatGeneration, 'stream'>): Pick<ChatGeneration, 'stream'> {
  const refusing = new Set<string>();
  return {
    async stream(caller, request, signal) {
      const { temperature, ...body } = request.body;
      if (temperature === undefined) return generation.stream(caller, request, signal);
      const bare = { ...request, body: { ...body, model: request.body.model, messages: request.body.messages } };
      if (refusing.has(body.model)) return generation.stream(caller, bare, signal);
      try {
        return await generation.stream(caller, request, signal);
      } catch (error) {
        if (!isAboutTemperature(error)) throw error;
        if (refusing.size >= MAX_MODELS) refusing.clear();
        refusing.add(body.model);
        return generation.stream(caller, bare, signal);
      }
    },
  };
}

function isAboutTemperature(error: unknown): boolean {
  if (!(error instanceof ProviderRejectedError)) return false;
  const { param, message } = error.details;
  return /temperature/i.test(`${param ?? ''} ${message}`);
}
