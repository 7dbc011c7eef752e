import { sleep } from '../../../lib/clock.ts';
import { withoutTrailingSlashes } from '../../../lib/http/without-trailing-slashes.ts';
import type { Provider } from '../contract/provider.ts';
import {
  createOpenAiCompatibleProvider,
  type OpenAiCompatibleDeps,
} from './openai-compatible/openai-compatible-provider.ts';

const PROBE_MS = 1500;
/** Ollama loads a model into memory first, which takes minutes on a slow disk. */
const FIRST_TOKEN_MS = 300_000;

/** Returns a provider for the Ollama at `baseUrl`, or undefined if none answers with at least one chat model. */
export async function findOllama(
  deps: OpenAiCompatibleDeps,
  baseUrl: string,
  signal: AbortSignal,
): Promise<Provider | undefined> {
  const provider = createOpenAiCompatibleProvider(deps, {
    kind: 'openai-compatible',
    name: 'ollama',
    baseUrl,
    apiKeys: [],
    timeouts: { firstTokenMs: FIRST_TOKEN_MS },
  });
  const patience = new AbortController();
  const onAbort = () => patience.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const tooLate = sleep(deps.clock, PROBE_MS, patience.signal).then(
    () => [],
    () => [],
  );
  const models = await Promise.race([provider.listModels(patience.signal).catch(() => []), tooLate]);
  patience.abort();
  signal.removeEventListener('abort', onAbort);
  if (models.some((model) => model.type === 'chat')) return provider;
  await provider.close();
  return undefined;
}

/**
 * Returns the base address for `OLLAMA_HOST`, which may be a host, a port, both, or a URL. `0.0.0.0` is a listening
 * address and becomes `127.0.0.1`. Unset means Ollama's default address.
 */
export function toOllamaBaseUrl(host: string | undefined): string {
  const text = withoutTrailingSlashes((host ?? '').trim());
  const withScheme = /^https?:\/\//.test(text)
    ? text
    : `http://${text.startsWith(':') ? `127.0.0.1${text}` : text || '127.0.0.1'}`;
  if (!URL.canParse(withScheme)) return 'http://127.0.0.1:11434/v1';
  const url = new URL(withScheme);
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  if (url.port === '' && url.protocol === 'http:' && !/:80$/.test(withScheme)) url.port = '11434';
  return `${url.origin}${withoutTrailingSlashes(url.pathname).replace(/\/v1$/, '')}/v1`;
}
