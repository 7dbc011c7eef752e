import { type Config, canStrangersUpload } from '../config/index.ts';
import type { UniversalKey } from '../core/accounts/index.ts';
import type { ProviderStatus } from '../core/models/index.ts';
import type { ToolSourceStatus } from '../core/tools/index.ts';

/** Facts of a started service for the start report. */
export interface StartedService {
  readonly version: string;
  /** URL of the service, `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Secret that links to the playground need. Undefined: none, or no playground. */
  readonly linkSecret?: string | undefined;
  readonly universalKey: UniversalKey;
  readonly defaultModel: string | undefined;
  readonly defaultImageModel: string | undefined;
  readonly modelCount: number;
  readonly providers: readonly ProviderStatus[];
  readonly toolNames: readonly string[];
  readonly toolSources: readonly ToolSourceStatus[];
}

/**
 * Returns the text printed after a successful start.
 * @param isTerminal true if it is printed to a terminal and not to a log.
 */
export function describeStart(
  config: Config,
  app: StartedService,
  { isTerminal }: { readonly isTerminal: boolean },
): string {
  const isPlayground = config.telegram.mode === 'playground';
  const secret = app.linkSecret === undefined ? '' : `?secret=${app.linkSecret}`;
  const rows: [string, string][] = [
    ['Version', app.version],
    isPlayground
      ? ['Playground', `${app.url}/playground${secret}`]
      : ['Telegram', `the bot is starting${describeWay(config)}; the log says when it is receiving updates`],
    ...(isPlayground ? [] : [['Access', describeAccess(config)] satisfies [string, string]]),
    ['Console', `${(isPlayground ? undefined : config.http.publicUrl) ?? app.url}/console/${secret}`],
    ['OpenAI API', `${config.http.publicUrl ?? app.url}/ai/openai`],
    ['Models', describeModels(app)],
    ['Tools', describeTools(app)],
    ['Database', describeDatabase(config)],
    ['Files', describeFiles(config)],
    ...(canStrangersUpload(config) ? [['Uploads', STRANGERS_UPLOAD] satisfies [string, string]] : []),
    // A terminal may belong to a container whose output is logged, so the key itself is shown only in the playground.
    ['API key', describeUniversalKey(app.universalKey, isTerminal && isPlayground)],
  ];
  const hints = isPlayground
    ? ['', '  This is a simulated Telegram on this machine. The console helps to set up your own bot, and real models.']
    : [];
  return [
    '',
    '  Switchboard is running.',
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(12)}${value}`),
    ...hints,
    '',
    '',
  ].join('\n');
}

/** Describes where the universal key is stored, and includes the key itself if `isShown`. */
export function describeUniversalKey(key: UniversalKey, isShown: boolean): string {
  switch (key.kind) {
    case 'file':
      return isShown ? `${key.secret}   (stored in ${key.path})` : `in ${key.path}`;
    case 'configured':
      return 'set by UNIVERSAL_API_KEY';
    case 'off':
      return 'no shared key (UNIVERSAL_API_KEY is off); users create their own with /key';
    case 'elsewhere':
      return `created earlier, but not stored in ${key.path}; \`npm start -- --rotate-universal-key\` creates a new one`;
    case 'unkept':
      return 'none: its file cannot be written; the log says why';
  }
}

/** Describes how the first user of an open bot becomes its admin. */
export function describeAdminLink(link: string): string {
  return [
    '',
    '  The bot has no admin, and everyone who finds it can use it. Open this link within an hour: it makes you its',
    '  admin, once, and asks who may use the bot.',
    '',
    `  ${link}`,
    '',
    '',
  ].join('\n');
}

/** Describes who may use the bot. */
export function describeAccess({ telegram, allowedIds, adminIds }: Config): string {
  if (telegram.mode === 'playground')
    return telegram.isExposed ? 'whoever has the printed link' : 'this machine only, without passwords';
  const admins = adminIds.length === 0 ? 'nobody is an admin (ADMIN_IDS)' : count(adminIds.length, 'admin');
  if (allowedIds.length === 0) return `everyone who finds the bot (ALLOWED_IDS makes it private); ${admins}`;
  return `private: ${count(allowedIds.length, 'id')} in ALLOWED_IDS, and whom admins let in; ${admins}`;
}

function count(number: number, word: string): string {
  return number === 1 ? `1 ${word}` : `${number} ${word}s`;
}

function describeWay({ telegram }: Config): string {
  if (telegram.mode === 'playground') return '';
  return telegram.webhook ? `, webhook at ${telegram.webhook.url}` : ', long polling';
}

/**
 * Returns a text such as `12 from groq, 300 from openrouter; users get groq's llama until they choose; images by
 * flux-1`.
 */
export function describeModels(
  known: Pick<StartedService, 'providers' | 'modelCount' | 'defaultModel' | 'defaultImageModel'>,
): string {
  if (known.modelCount === 0) return 'none yet: no provider has responded';
  const sources = known.providers
    .filter((provider) => provider.modelCount > 0)
    .map((provider) => `${provider.modelCount} from ${provider.name}`);
  return [
    sources.join(', '),
    `default ${known.defaultModel ?? 'none'}`,
    known.defaultImageModel === undefined ? 'no images' : `images by ${known.defaultImageModel}`,
  ].join('; ');
}

/** Returns a text such as `calculator, current_time, web_search (search); nothing yet from home`. */
export function describeTools(known: Pick<StartedService, 'toolNames' | 'toolSources'>): string {
  if (known.toolNames.length === 0 && known.toolSources.length === 0) return 'none';
  const silent = known.toolSources.filter(({ toolNames }) => toolNames.length === 0).map(({ name }) => name);
  const listed = known.toolNames.slice(0, MAX_NAMED_TOOLS).join(', ');
  const more = known.toolNames.length - MAX_NAMED_TOOLS;
  return [
    more > 0 ? `${listed} and ${more} more` : listed,
    ...(silent.length > 0 ? [`nothing yet from ${silent.join(', ')}`] : []),
  ]
    .filter((part) => part !== '')
    .join('; ');
}

const MAX_NAMED_TOOLS = 6;

/** Says who uploads while `canStrangersUpload`. */
export const STRANGERS_UPLOAD = 'anyone who reaches the service, without a key (UPLOADS=key requires one)';

/** Describes where files are stored. */
export function describeFiles({ storage: { location } }: Config): string {
  if (location.kind === 'disk') return `on this disk in ${location.directory}`;
  if (location.kind === 's3') return `in the bucket ${location.url}`;
  const bots = location.botTokens.length === 1 ? '1 bot' : `${location.botTokens.length} bots`;
  const channels = location.chatIds.length === 1 ? 'the Telegram channel' : 'the Telegram channels';
  return `in ${channels} ${location.chatIds.join(', ')} by ${bots}`;
}

/** Describes the database without its password. */
export function describeDatabase(config: Pick<Config, 'database'>): string {
  if (config.database.kind === 'embedded') return `embedded Postgres in ${config.database.directory}`;
  const { hostname, pathname } = new URL(config.database.url);
  return `Postgres at ${hostname}${pathname}`;
}
