import { withoutTrailingSlashes } from '../../../../lib/http/without-trailing-slashes.ts';
import { isJsonObject, type JsonObject } from '../../../../lib/json/json.ts';
import { printJson } from '../../../../lib/json/large-json.ts';
import { readJson } from '../../../../lib/json/read-json.ts';
import { toErrorOfBody } from '../../../../protocols/error-answer.ts';
import { ProviderUnavailableError } from '../../contract/model-errors.ts';
import type {
  ModerationInput,
  ModerationModel,
  ModerationPart,
  ModerationResult,
} from '../../contract/moderation-model.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Creates moderation models for OpenAI's `/moderations` and compatible hosts, such as Mistral. */
export function createModerations(
  { endpoint }: { readonly endpoint: Endpoint },
  { name, baseUrl, apiKeys }: Pick<OpenAiCompatibleConfig, 'name' | 'baseUrl' | 'apiKeys'>,
): ModerationModel {
  return {
    async moderate({ model, inputs, extraFields }, signal) {
      const http = await endpoint.open(
        {
          method: 'POST',
          url: `${withoutTrailingSlashes(baseUrl)}/moderations`,
          headers: { accept: 'application/json', 'content-type': 'application/json' },
          body: await printJson({ ...extraFields, model, input: toInputField(inputs) }),
          model,
          startMs: endpoint.timeouts.totalMs,
        },
        signal,
      );
      try {
        http.markStarted();
        const bytes = await http.readAll(MAX_ANSWER_BYTES);
        const body = await readJson(bytes);
        if (isJsonObject(body) && body.error) throw toErrorOfBody(name, body, apiKeys);
        const items = isJsonObject(body) && Array.isArray(body.results) ? body.results : [];
        const results = items.flatMap((item) => readResult(item) ?? []);
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
      } catch (error) {
        throw endpoint.toError(error, signal);
      } finally {
        http.close();
      }
    },
  };
}

/** OpenAI takes a list of texts, or the parts of a single input. */
function toInputField(inputs: readonly ModerationInput[]): unknown {
  const [first] = inputs;
  return inputs.length === 1 && typeof first === 'object' ? first.map(toPart) : inputs;
}

function toPart(part: ModerationPart): JsonObject {
  return part.type === 'text' ? { ...part } : { type: 'image_url', image_url: { url: part.url } };
}

function readResult(item: unknown): ModerationResult | undefined {
  if (!isJsonObject(item) || !isJsonObject(item.categories)) return undefined;
  const categories = pick(item.categories, (value) => typeof value === 'boolean');
  const scores = pick(
    isJsonObject(item.category_scores) ? item.category_scores : {},
    (value) => typeof value === 'number',
  );
  const flagged = typeof item.flagged === 'boolean' ? item.flagged : Object.values(categories).includes(true);
  return { flagged, categories, scores };
}

function pick<Value>(fields: JsonObject, is: (value: unknown) => value is Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, Value] => is(entry[1])));
}
