import { AwsV4Signer } from 'aws4fetch';
import { isJsonObject, type JsonObject } from '../../../../lib/json/json.ts';
import { ProviderUnavailableError } from '../../contract/model-errors.ts';
import type { ProviderModel } from '../../contract/provider.ts';
import { askForJson } from '../endpoint/ask-for-json.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { type BedrockConfig, toServiceUrl } from './bedrock-config.ts';

const LIST_MS = 20_000;
const MAX_LIST_BYTES = 8 * 1024 * 1024;
/** Amazon's own models need no subscription. Listed first, for users who have not chosen a model. */
const PREFERRED = /amazon\.nova-(2-)?lite/;

/** Amazon's models see the pages of a PDF. Others get its text from the service, which does not help them. */
const SEES_PAGES = /^amazon\.nova-(?!micro|sonic)/;

/**
 * Requests the chat models of a region: those that can be used on demand, and the inference profiles that AWS defines.
 * Newer models can be used through a profile only.
 * @throws ProviderError; the signal's reason.
 */
export async function listBedrockModels(
  endpoint: Endpoint,
  config: BedrockConfig,
  signal: AbortSignal,
): Promise<readonly ProviderModel[]> {
  const ask = async (path: string, field: string): Promise<readonly JsonObject[]> => {
    const url = `${toServiceUrl(config, 'bedrock')}${path}`;
    const headers = await signGet(config, url);
    // Keys rest for each model separately; the list of models counts as one.
    const question = { url, headers, model: '/models', startMs: LIST_MS, maxBytes: MAX_LIST_BYTES };
    const answer = await askForJson({ provider: config.name, endpoint }, question, signal);
    const list = isJsonObject(answer) ? answer[field] : undefined;
    if (!Array.isArray(list))
      throw new ProviderUnavailableError(config.name, `${config.name} sent something that is not a list of models`);
    return list.filter(isJsonObject);
  };
  const foundations = await ask('/foundation-models?byOutputModality=TEXT', 'modelSummaries');
  const profiles = await ask('/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED', 'inferenceProfileSummaries');
  const chatModels = new Map(foundations.flatMap(toChatModel).map((model) => [model.id, model]));
  const onDemand = new Set(foundations.filter(isOnDemand).map(({ modelId }) => modelId));
  const models = [
    ...profiles.flatMap((profile) => toProfileModel(profile, chatModels)),
    ...[...chatModels.values()].filter(({ id }) => onDemand.has(id)),
  ];
  return [...models.filter(({ id }) => PREFERRED.test(id)), ...models.filter(({ id }) => !PREFERRED.test(id))];
}

/** Returns the headers of a signed request; none if keys are used. */
async function signGet({ apiKeys, credentials, region }: BedrockConfig, url: string): Promise<Record<string, string>> {
  if (apiKeys.length > 0 || !credentials) return {};
  const signer = new AwsV4Signer({ ...credentials, url, method: 'GET', region, service: 'bedrock' });
  return Object.fromEntries((await signer.sign()).headers);
}

function toChatModel(entry: JsonObject): readonly ProviderModel[] {
  const { modelId: id, modelName, providerName, inputModalities, modelLifecycle } = entry;
  const isActive = !isJsonObject(modelLifecycle) || modelLifecycle.status === 'ACTIVE';
  // All answers are streamed.
  if (typeof id !== 'string' || !isActive || entry.responseStreamingSupported !== true) return [];
  return [
    {
      id,
      type: 'chat',
      ownedBy: typeof providerName === 'string' ? providerName : undefined,
      displayName: typeof modelName === 'string' ? modelName : undefined,
      acceptsImages: Array.isArray(inputModalities) ? inputModalities.includes('IMAGE') : undefined,
      acceptsPdf: SEES_PAGES.test(id) || undefined,
    },
  ];
}

function isOnDemand({ inferenceTypesSupported: types }: JsonObject): boolean {
  return Array.isArray(types) && types.includes('ON_DEMAND');
}

/** A profile has the abilities of its model, and its own name. */
function toProfileModel(profile: JsonObject, chatModels: ReadonlyMap<string, ProviderModel>): readonly ProviderModel[] {
  const { inferenceProfileId: id, inferenceProfileName: name, models, status } = profile;
  const first = Array.isArray(models) && isJsonObject(models[0]) ? models[0].modelArn : undefined;
  const model = chatModels.get(String(first).split('/').at(-1) ?? '');
  if (typeof id !== 'string' || status !== 'ACTIVE' || !model) return [];
  return [{ ...model, id, displayName: typeof name === 'string' ? name : model.displayName }];
}
