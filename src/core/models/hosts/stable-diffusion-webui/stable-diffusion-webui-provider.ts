import { unescape as decodeLeniently } from 'node:querystring';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../../../lib/clock.ts';
import type { HeldBytes } from '../../../../lib/http/held-bytes.ts';
import { createHttpAgent } from '../../../../lib/http/http-client.ts';
import { withoutTrailingSlashes } from '../../../../lib/http/without-trailing-slashes.ts';
import { isJsonObject } from '../../../../lib/json/json.ts';
import type { ImageModel } from '../../contract/image-model.ts';
import { ProviderUnavailableError } from '../../contract/model-errors.ts';
import type { Provider } from '../../contract/provider.ts';
import { askForJson } from '../endpoint/ask-for-json.ts';
import { createEndpoint, DEFAULT_PROVIDER_TIMEOUTS, type EndpointConfig } from '../endpoint/endpoint.ts';
import type { StableDiffusionWebUiConfig } from './stable-diffusion-webui-config.ts';
import { createWebUiImages } from './webui-images.ts';

/** A model file of the WebUI. */
interface Checkpoint {
  /** Public model name: letters, digits and `. _ + -`. Unique in its list. */
  readonly id: string;
  /** Title in the WebUI's menus. */
  readonly title: string;
}

export interface StableDiffusionWebUiDeps {
  readonly clock: Clock;
  /** Returns a number from 0 to 1, 1 excluded; for seeds. Default `Math.random`. */
  readonly random?: () => number;
  /** Counts the answers that are read whole. Default: they are not counted. */
  readonly heldBytes?: HeldBytes | undefined;
  /** Used for requests instead of an own pool; not closed with the provider. */
  readonly dispatcher?: Dispatcher;
}

const LISTING_PATIENCE_MS = 20_000;
const MAX_LISTING_BYTES = 16 * 1024 * 1024;

/** Creates a provider for a Stable Diffusion WebUI: its checkpoints are the image models. It has no chat models. */
export function createStableDiffusionWebUiProvider(
  deps: StableDiffusionWebUiDeps,
  config: StableDiffusionWebUiConfig,
): Provider & { readonly chat: undefined; readonly image: ImageModel } {
  const provider = config.name;
  const { baseUrl, login } = readAddress(config);
  const timeouts = { ...DEFAULT_PROVIDER_TIMEOUTS, ...config.timeouts };
  const dispatcher = deps.dispatcher ?? createHttpAgent({ connectMs: timeouts.connectMs });
  const endpoint = createEndpoint({ ...deps, dispatcher }, toEndpointConfig(config, login), timeouts);
  let checkpoints: readonly Checkpoint[] = [];

  const listCheckpoints = async (signal: AbortSignal): Promise<readonly Checkpoint[]> => {
    const question = {
      url: `${baseUrl}/sdapi/v1/sd-models`,
      model: '/sd-models',
      startMs: LISTING_PATIENCE_MS,
      maxBytes: MAX_LISTING_BYTES,
    };
    const listed = parseCheckpoints(await askForJson({ provider, endpoint }, question, signal));
    if (!listed)
      throw new ProviderUnavailableError(provider, `${provider} sent something that is not a list of models`);
    checkpoints = listed;
    return listed;
  };
  const getTitle = async (id: string, signal: AbortSignal): Promise<string> => {
    const isAsked = (checkpoint: Checkpoint) => checkpoint.id === id;
    const found = checkpoints.find(isAsked) ?? (await listCheckpoints(signal)).find(isAsked);
    if (found) return found.title;
    throw new ProviderUnavailableError(provider, `${provider} has no model '${id}'`, { status: 404 });
  };
  const images = createWebUiImages(
    { clock: deps.clock, random: deps.random ?? Math.random, endpoint, baseUrl, getTitle },
    config,
  );

  return {
    name: provider,
    chat: undefined,
    image: images,
    acceptsAnyModel: false,
    weight: config.weight ?? 1,
    async listModels(signal) {
      const listed = await listCheckpoints(signal);
      return listed.map(({ id, title }) => ({ id, type: 'image', displayName: title, acceptsImages: true }));
    },
    async close() {
      await images.settle();
      if (dispatcher !== deps.dispatcher) await dispatcher.destroy();
    },
  };
}

/** Splits the credentials from the address: HTTP clients don't send them by themselves. */
function readAddress({ baseUrl, apiKeys }: StableDiffusionWebUiConfig) {
  const [, scheme = '', login, rest = ''] =
    /^(https?:\/\/)(?:([^/@]+)@)?(.*)$/.exec(withoutTrailingSlashes(baseUrl)) ?? [];
  return { baseUrl: `${scheme}${rest}`, login: login === undefined ? apiKeys[0] : decodeLeniently(login) };
}

function toEndpointConfig(config: StableDiffusionWebUiConfig, login: string | undefined): EndpointConfig {
  const authorization =
    login === undefined ? {} : { authorization: `Basic ${Buffer.from(login, 'utf8').toString('base64')}` };
  return { name: config.name, apiKeys: [], headers: { ...authorization, ...config.headers } };
}

const MAX_CHECKPOINTS = 2000;

/**
 * Reads the response of `GET /sdapi/v1/sd-models`: `[{title, model_name, hash, …}]`.
 * @returns undefined if it is not a list of models.
 */
function parseCheckpoints(listing: unknown): readonly Checkpoint[] | undefined {
  if (!Array.isArray(listing)) return undefined;
  const checkpoints = new Map<string, Checkpoint>();
  for (const entry of listing.slice(0, MAX_CHECKPOINTS)) {
    if (!isJsonObject(entry) || typeof entry.title !== 'string') continue;
    const name = typeof entry.model_name === 'string' ? entry.model_name : entry.title;
    const id = toUniqueId(name, (candidate) => checkpoints.has(candidate));
    checkpoints.set(id, { id, title: entry.title });
  }
  return [...checkpoints.values()];
}

const MAX_ID_LENGTH = 150;

function toUniqueId(name: string, isTaken: (id: string) => boolean): string {
  const safe = name.replace(/[^\p{L}\p{N}._+-]+/gu, '-').replace(/^-+|(?<!-)-+$/g, '');
  const base = safe.slice(0, MAX_ID_LENGTH) || 'model';
  let id = base;
  for (let number = 2; isTaken(id); number += 1) id = `${base}-${number}`;
  return id;
}
