import { unescape as decodeLeniently } from 'node:querystring';
import type { Config, StorageLocation } from '../config/index.ts';
import { listBedrockSecrets } from '../core/models/index.ts';
import type { ToolsConfig } from '../core/tools/index.ts';
import type { Settings } from './read-settings.ts';

/** Returns all values that must not appear in the log. */
export function listSecrets({ config, models, tools }: Pick<Settings, 'config' | 'models' | 'tools'>): string[] {
  return [
    ...(config.telegram.mode === 'bot' ? listBotSecrets(config.telegram) : listPasswords(config.telegram.apiRoot)),
    ...[config.storage.location, ...config.storage.formerLocations].flatMap(listLocationSecrets),
    ...(config.storage.encryptionKey.kind === 'given' ? listKeySpellings(config.storage.encryptionKey.key) : []),
    ...config.storage.formerEncryptionKeys.flatMap(listKeySpellings),
    ...(config.universalApiKey === undefined || config.universalApiKey === 'off' ? [] : [config.universalApiKey]),
    ...(config.operations.metricsToken === undefined ? [] : [config.operations.metricsToken]),
    ...[config.operations.traces, config.operations.metrics, config.operations.logs].flatMap((collector) => [
      ...listPasswords(collector?.url),
      ...listSecretHeaders(collector?.headers),
    ]),
    ...(config.database.kind === 'postgres' ? listPasswords(config.database.url) : []),
    ...models.providers.flatMap((provider) =>
      provider.kind === 'demo'
        ? []
        : [
            ...(provider.kind === 'bedrock' ? listBedrockSecrets(provider) : provider.apiKeys),
            ...listPasswords(provider.baseUrl),
            ...listSecretHeaders(provider.headers),
          ],
    ),
    ...config.webSearch.flatMap((service) =>
      service.kind === 'searxng' ? listPasswords(service.baseUrl) : service.apiKey,
    ),
    ...tools.sources.flatMap(listToolSecrets),
  ];
}

function listLocationSecrets(location: StorageLocation): readonly string[] {
  switch (location.kind) {
    case 'disk':
      return [];
    case 'telegram':
      return location.botTokens;
    case 's3':
      return [location.secretAccessKey, ...listPasswords(location.url)];
  }
}

function listBotSecrets({ token, apiRoot, webhook }: Extract<Config['telegram'], { readonly mode: 'bot' }>): string[] {
  return [token, ...(webhook ? [webhook.secret] : []), ...listPasswords(apiRoot)];
}

/** Returns the secrets of a tool source, whose URL often contains a key. */
function listToolSecrets(source: ToolsConfig['sources'][number]): readonly string[] {
  const http = source.kind === 'function' ? source : source.reach.kind === 'http' ? source.reach : undefined;
  if (!http) return source.secrets;
  return [...source.secrets, ...listPasswords(http.url), ...listSecretHeaders(http.headers)];
}

/** Returns the encodings in which settings may contain a key. */
function listKeySpellings(key: Buffer): string[] {
  return [key.toString('base64'), key.toString('base64url'), key.toString('hex'), key.toString('hex').toUpperCase()];
}

/** Returns the password of a URL, encoded and decoded. None of what is no URL. */
export function listPasswords(url: string | undefined): string[] {
  const password = url === undefined || !URL.canParse(url) ? '' : new URL(url).password;
  return password === '' ? [] : [password, decodeLeniently(password)];
}

function listSecretHeaders(headers: Readonly<Record<string, string>> = {}): string[] {
  const values = Object.entries(headers).flatMap(([name, value]) => (/auth|key|token|secret/i.test(name) ? value : []));
  // Without the scheme before the secret (`Bearer`).
  return values.map((value) => value.split(' ').at(-1) ?? value);
}
