import { withoutTrailingSlashes } from '../../../../lib/http/without-trailing-slashes.ts';
import { readJson } from '../../../../lib/json/read-json.ts';
import { parseModelListing, preferredFirst } from '../../catalogue/model-listing.ts';
import { ProviderUnavailableError } from '../../contract/model-errors.ts';
import type { ProviderModel } from '../../contract/provider.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';

const MAX_LISTING_BYTES = 8 * 1024 * 1024;
const LISTING_PATIENCE_MS = 20_000;

/**
 * Requests the host's list of models.
 * @throws ProviderError; the signal's reason.
 */
export async function listHostModels(
  endpoint: Endpoint,
  config: OpenAiCompatibleConfig,
  signal: AbortSignal,
): Promise<readonly ProviderModel[]> {
  const http = await endpoint.open(
    {
      method: 'GET',
      url: new URL(config.modelsUrl ?? 'models', `${withoutTrailingSlashes(config.baseUrl)}/`).href,
      headers: { accept: 'application/json' },
      // Keys rest for each model separately; the list of models counts as one.
      model: '/models',
      startMs: LISTING_PATIENCE_MS,
      keyHeader: config.modelsKeyHeader,
    },
    signal,
  );
  try {
    http.markStarted();
    const bytes = await http.readAll(MAX_LISTING_BYTES);
    const models = parseModelListing(await readJson(bytes));
    if (models) return preferredFirst(models, config.preferredModels ?? []);
  } catch (error) {
    throw endpoint.toError(error, signal);
  } finally {
    http.close();
  }
  throw new ProviderUnavailableError(config.name, `${config.name} sent something that is not a list of models`);
}
