import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import type { ProviderModel } from '../contract/provider.ts';
import { modelKindOf } from './model-kind.ts';
import { providersOf, readPrice } from './read-price.ts';

const MAX_MODELS = 5000;

/**
 * Reads a host's list of models in any of the known formats: OpenAI's `{data: […]}`, Together's and GitHub's bare
 * array, Ollama's and Cohere's `{models: […]}`, Cloudflare's `{result: […]}`. Leaves out models of types that
 * are not served here.
 * @returns undefined if it is not a list of models.
 */
export function parseModelListing(listing: unknown): readonly ProviderModel[] | undefined {
  const entries = findEntries(listing);
  if (!entries) return undefined;
  const models = new Map<string, ProviderModel>();
  for (const entry of entries.slice(0, MAX_MODELS)) {
    const model = toProviderModel(typeof entry === 'string' ? { id: entry } : entry);
    if (model && !models.has(model.id)) models.set(model.id, model);
  }
  return [...models.values()];
}

function findEntries(listing: unknown): readonly unknown[] | undefined {
  if (Array.isArray(listing)) return listing;
  if (!isJsonObject(listing)) return undefined;
  return [listing.data, listing.models, listing.result].find((list) => Array.isArray(list));
}

function toProviderModel(entry: unknown): ProviderModel | undefined {
  if (!isJsonObject(entry)) return undefined;
  const id = idOf(entry);
  if (id === undefined || entry.active === false || entry.archived === true) return undefined;
  // Azure: operators choose the names of deployments.
  const deployed = entry.object === 'deployment' && isText(entry.model) ? entry.model : id;
  const type = modelKindOf(deployed, entry);
  if (type === 'other') return undefined;
  return {
    id,
    type,
    ownedBy: ownerOf(id, entry),
    displayName: displayNameOf(id, entry),
    created: createdOf(entry),
    contextLength: contextLengthOf(entry),
    price: readPrice(entry, type),
    acceptsImages: acceptsImagesOf(entry),
    acceptsPdf: type === 'chat' ? acceptsPdfOf(entry) : undefined,
    acceptsTools: acceptsToolsOf(entry),
  };
}

const MAX_ID_LENGTH = 200;

function idOf(entry: JsonObject): string | undefined {
  // Cloudflare's `id` is a UUID and its `name` is the model name; GitHub's old list does the same with a URI.
  const isOpaque = typeof entry.id === 'string' && /^([0-9a-f]{8}-[0-9a-f-]{27}|azureml:.*)$/i.test(entry.id);
  const id = [isOpaque ? undefined : entry.id, entry.name, entry.model].find((value) => typeof value === 'string');
  if (typeof id !== 'string') return undefined;
  // Google lists `models/gemini-…` and accepts the name without the prefix.
  const name = id.replace(/^models\//, '').trim();
  return name === '' || name.length > MAX_ID_LENGTH || /[\s\p{Cc}]/u.test(name) ? undefined : name;
}

function ownerOf(id: string, entry: JsonObject): string | undefined {
  const owner = [entry.owned_by, entry.organization, entry.publisher, entry.owner].find(isText);
  return owner ?? (id.includes('/') ? id.split('/')[0] : undefined);
}

function displayNameOf(id: string, entry: JsonObject): string | undefined {
  const spec = isJsonObject(entry.model_spec) ? entry.model_spec : {};
  const name = [entry.display_name, entry.displayName, entry.title, entry.name, spec.name].find(isText)?.trim();
  return name === undefined || name === id || name.length > MAX_ID_LENGTH || name.startsWith('models/')
    ? undefined
    : name;
}

/** Returns Unix seconds from seconds, milliseconds or a date. */
function createdOf(entry: JsonObject): number | undefined {
  const value = entry.created ?? entry.created_at;
  if (typeof value === 'number' && value > 0) return Math.floor(value > 1e11 ? value / 1000 : value);
  const date = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.floor(date / 1000);
}

function contextLengthOf(entry: JsonObject): number | undefined {
  const limits = isJsonObject(entry.limits) ? entry.limits : {};
  const spec = isJsonObject(entry.model_spec) ? entry.model_spec : {};
  const metadata = isJsonObject(entry.metadata) ? entry.metadata : {};
  const served = providersOf(entry).map((provider) => provider.context_length);
  return [
    entry.context_length,
    entry.max_input_tokens,
    entry.context_window,
    entry.max_context_length,
    entry.max_model_len,
    entry.context_size,
    entry.inputTokenLimit,
    limits.max_input_tokens,
    spec.availableContextTokens,
    metadata.context_length,
    Math.max(0, ...served.filter((length) => typeof length === 'number')),
  ].find((length) => typeof length === 'number' && length > 0) as number | undefined;
}

function inputsOf(entry: JsonObject): readonly unknown[] | undefined {
  const architecture = isJsonObject(entry.architecture) ? entry.architecture : {};
  const inputs = entry.supported_input_modalities ?? entry.input_modalities ?? architecture.input_modalities;
  return Array.isArray(inputs) ? inputs : undefined;
}

/** Reads the input `file` of OpenRouter, the capability of Anthropic, Vercel's tags and LiteLLM's flag. */
function acceptsPdfOf(entry: JsonObject): boolean | undefined {
  const inputs = inputsOf(entry);
  if (inputs) return inputs.includes('file') || inputs.includes('pdf');
  const { pdf_input: pdfInput } = isJsonObject(entry.capabilities) ? entry.capabilities : {};
  if (isJsonObject(pdfInput)) return pdfInput.supported === true;
  if (Array.isArray(entry.tags) && entry.tags.length > 0) return entry.tags.includes('file-input');
  return typeof entry.supports_pdf_input === 'boolean' ? entry.supports_pdf_input : undefined;
}

function acceptsImagesOf(entry: JsonObject): boolean | undefined {
  const inputs = inputsOf(entry);
  if (inputs) return inputs.includes('image');
  const capabilities = isJsonObject(entry.capabilities) ? entry.capabilities : {};
  if (Array.isArray(entry.features)) return entry.features.includes('vision');
  const { image_input: imageInput } = capabilities;
  if (isJsonObject(imageInput)) return imageInput.supported === true;
  const flag = [entry.supports_image_input, entry.supports_vision, capabilities.vision].find(
    (value) => typeof value === 'boolean',
  );
  return typeof flag === 'boolean' ? flag : undefined;
}

/**
 * Reads OpenRouter's list of parameters, the capabilities of GitHub and Cohere, the flags of Mistral and Fireworks, and
 * Hugging Face's flag for each host of the model.
 */
function acceptsToolsOf(entry: JsonObject): boolean | undefined {
  const { supported_parameters: parameters, capabilities, features } = entry;
  if (Array.isArray(parameters)) return parameters.includes('tools');
  if (Array.isArray(capabilities)) return capabilities.includes('tool-calling');
  if (Array.isArray(features)) return features.includes('tools');
  const hosts = providersOf(entry).map((provider) => provider.supports_tools);
  const some = hosts.some((host) => typeof host === 'boolean') ? hosts.includes(true) : undefined;
  const flag = isJsonObject(capabilities) ? capabilities.function_calling : undefined;
  const supportsTools = [entry.supports_tools, flag, some].find((value) => typeof value === 'boolean');
  return typeof supportsTools === 'boolean' ? supportsTools : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Moves the preferred models to the front, in their order. */
export function preferredFirst(
  models: readonly ProviderModel[],
  preferred: readonly string[],
): readonly ProviderModel[] {
  const rank = ({ id }: ProviderModel) => (preferred.includes(id) ? preferred.indexOf(id) : preferred.length);
  return [...models].sort((a, b) => rank(a) - rank(b));
}
