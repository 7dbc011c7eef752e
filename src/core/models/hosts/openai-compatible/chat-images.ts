import { withoutTrailingSlashes } from '../../../../lib/http/without-trailing-slashes.ts';
import { isJsonObject, type JsonObject } from '../../../../lib/json/json.ts';
import { cleanMessage, toErrorOfBody, toImageRefusal } from '../../../../protocols/error-answer.ts';
import { choicesOf } from '../../../../protocols/openai-chat/read-answer.ts';
import { readUsage } from '../../../../protocols/openai-chat/read-usage.ts';
import { toDataUrl } from '../../../../protocols/openai-media/images/edit-form.ts';
import { listMessageImages } from '../../../../protocols/openai-media/images/image-entries.ts';
import { toRatioName } from '../../../../protocols/openai-media/images/image-shape.ts';
import type { OptionalParameter } from '../../../../protocols/optional-parameter.ts';
import type { AspectRatio, ImageModel, ImageRequest } from '../../contract/image-model.ts';
import { ProviderRejectedError, ProviderUnavailableError } from '../../contract/model-errors.ts';
import { createParameterFallback } from '../endpoint/parameter-fallback.ts';
import { requireEditing } from '../require-editing.ts';
import { askForImages } from './ask-for-images.ts';
import { readImages } from './image-answer.ts';
import type { ImagesDeps } from './images.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';

/** https://openrouter.ai/docs/guides/overview/multimodal/image-generation */
const RATIOS: readonly AspectRatio[] = [
  [1, 1],
  [2, 3],
  [3, 2],
  [3, 4],
  [4, 3],
  [4, 5],
  [5, 4],
  [9, 16],
  [16, 9],
  [21, 9],
].map(([width = 1, height = 1]) => ({ width, height }));

/**
 * Creates an image model from chat models that return images, as at OpenRouter and Vercel's gateway. Each request gives
 * one image.
 */
export function createChatImages({ endpoint, download }: ImagesDeps, config: OpenAiCompatibleConfig): ImageModel {
  const { name, apiKeys } = config;
  const url = `${withoutTrailingSlashes(config.baseUrl)}/chat/completions`;
  const fallback = createParameterFallback(endpoint);

  const ask = (request: ImageRequest, signal: AbortSignal) =>
    fallback.send(request.model, toOptionalParameters(request), (fields) =>
      askForImages(
        { provider: name, endpoint, secrets: apiKeys },
        { url, contentType: 'application/json', body: toBody(request, fields), model: request.model },
        signal,
      ),
    );

  return {
    async generate(request, signal) {
      signal.throwIfAborted();
      requireEditing(name, request, { maxSources: Number.POSITIVE_INFINITY, acceptsMask: false });
      try {
        const answer = await ask(request, signal);
        const entries = findEntries(name, answer, apiKeys).slice(0, request.count);
        const images = await readImages({ provider: name, download }, entries, signal);
        return { images, usage: readUsage(answer), provider: name, model: request.model };
      } catch (error) {
        throw toImageRefusal(request.sources ? toEditRefusal(error, request.model) : error);
      }
    },
  };
}

function toOptionalParameters({ ratio, seed }: ImageRequest): readonly OptionalParameter[] {
  return [
    // Models without text output refuse the modality `text`.
    { name: 'modalities', about: /modalit/i, ways: [{ modalities: ['image', 'text'] }, { modalities: ['image'] }] },
    {
      name: 'shape',
      about: /image_?config|aspect[_ ]?ratio/i,
      ways: [{ image_config: { aspect_ratio: toRatioName(ratio, RATIOS) } }],
    },
    ...(seed === undefined ? [] : [{ name: 'seed', about: /\bseed\b/i, ways: [{ seed }] }]),
  ];
}

function toBody({ model, prompt, sources }: ImageRequest, fields: JsonObject): JsonObject {
  const content = sources
    ? [
        { type: 'text', text: prompt },
        ...sources.map((source) => ({ type: 'image_url', image_url: { url: toDataUrl(source) } })),
      ]
    : prompt;
  return { ...fields, model, messages: [{ role: 'user', content }] };
}

/** @throws ProviderError if the answer has no images. */
function findEntries(provider: string, answer: JsonObject, secrets: readonly string[]): readonly unknown[] {
  const [choice] = choicesOf(answer);
  // OpenRouter reports a failed upstream host inside the choice.
  if (choice?.error) throw toErrorOfBody(provider, choice, secrets);
  const message = isJsonObject(choice?.message) ? choice.message : {};
  const entries = listMessageImages(message);
  if (entries.length > 0) return entries;
  throw toRefusalInWords(provider, { ...choice, ...message }, secrets);
}

const REFUSED = /content_filter|refusal|safety|prohibited|blocklist|moderation/i;

/**
 * Classifies an answer without images. A refusal is final. Other text means that the model misunderstood, and another
 * provider may do better.
 */
function toRefusalInWords(provider: string, said: JsonObject, secrets: readonly string[]) {
  const refusal = typeof said.refusal === 'string' && said.refusal !== '' ? said.refusal : undefined;
  const words = cleanMessage(refusal ?? textOf(said.content), secrets);
  const reasons = [said.finish_reason, said.native_finish_reason].filter((reason) => typeof reason === 'string');
  if (refusal !== undefined || reasons.some((reason) => REFUSED.test(reason))) {
    return new ProviderRejectedError(provider, 400, {
      message: words ?? 'The model refused to create this image.',
      param: null,
      code: 'content_policy_violation',
    });
  }
  return new ProviderUnavailableError(
    provider,
    words === undefined ? `${provider} sent no image` : `${provider} answered with text instead of an image: ${words}`,
    { isBadAnswer: true },
  );
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  return parts.map(({ text }) => (typeof text === 'string' ? text : '')).join(' ');
}

/** OpenRouter returns 404 if no host of the model accepts images. */
function toEditRefusal(error: unknown, model: string): unknown {
  const isBlind =
    error instanceof ProviderUnavailableError &&
    error.status === 404 &&
    /image input|input modalit/i.test(error.message);
  if (!isBlind) return error;
  const message = `The model '${model}' creates images from text only and can't edit images.`;
  return new ProviderRejectedError(error.provider, 400, { message, param: 'image', code: 'image_edit_unsupported' });
}
