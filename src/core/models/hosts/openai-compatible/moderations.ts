import { withoutTrailingSlashes } from '../../../../lib/http/without-trailing-slashes.ts';
import { isJsonObject } from '../../../../lib/json/json.ts';
import { readJson } from '../../../../lib/json/read-json.ts';
import { toErrorOfBody } from '../../../../protocols/error-answer.ts';
import { readModeration } from '../../../../protocols/openai-media/moderations-answer.ts';
import { printModerationRequest } from '../../../../protocols/openai-media/moderations-request.ts';
import { ProviderUnavailableError } from '../../contract/model-errors.ts';
import type { ModerationModel } from '../../contract/moderation-model.ts';
import { askForBytes } from '../endpoint/ask-for-json.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Creates moderation models for OpenAI's `/moderations` and compatible hosts, such as Mistral. */
export function createModerations(
  { endpoint }: { readonly endpoint: Endpoint },
  { name, baseUrl, apiKeys }: Pick<OpenAiCompatibleConfig, 'name' | 'baseUrl' | 'apiKeys'>,
): ModerationModel {
  return {
    async moderate(request, signal) {
      const { model, inputs } = request;
      const url = `${withoutTrailingSlashes(baseUrl)}/moderations`;
      const question = { url, body: printModerationRequest(request), model, startMs: endpoint.timeouts.totalMs };
      const bytes = await askForBytes(
        { provider: name, endpoint },
        { ...question, maxBytes: MAX_ANSWER_BYTES },
        signal,
      );
      const body = await readJson(bytes);
      if (isJsonObject(body) && body.error) throw toErrorOfBody(name, body, apiKeys);
      const items = isJsonObject(body) && Array.isArray(body.results) ? body.results : [];
      const results = items.flatMap((item) => readModeration(item) ?? []);
      if (!isJsonObject(body) || results.length !== inputs.length)
        throw new ProviderUnavailableError(name, `${name} sent something that is no list of moderations`, {
          isBadAnswer: true,
        });
      // Mistral reports the categories only.
      const isComplete = items.every((item) => typeof item.flagged === 'boolean');
      return {
        results,
        id: typeof body.id === 'string' ? body.id : undefined,
        reportedModel: typeof body.model === 'string' ? body.model : undefined,
        native: isComplete ? bytes : undefined,
        provider: name,
        model,
      };
    },
  };
}
