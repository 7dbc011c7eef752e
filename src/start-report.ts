import type { Config } from './config/index.ts';
import type { ProviderStatus } from './core/models/index.ts';
import type { ToolSourceStatus } from './core/tools/index.ts';

interface StartedService {
  readonly url: string;
  readonly newUniversalKey: string | undefined;
  readonly defaultModel: string | undefined;
  readonly defaultImageModel: string | undefined;
  readonly modelCount: number;
  readonly providers: readonly ProviderStatus[];
  readonly toolNames: readonly string[];
  readonly toolSources: readonly ToolSourceStatus[];
}

/** What a person sees in the terminal when everything runs. */
export function describeStart(config: Config, app: StartedService): string {
  const isPlayground = config.telegram.mode === 'playground';
  const rows: [string, string][] = [
    isPlayground
      ? ['Playground', `${app.url}/playground`]
      : ['Telegram', `the bot is starting${describeWay(config)}; the log says when it listens`],
    ['OpenAI API', `${config.http.publicUrl ?? app.url}/ai/openai`],
    ['Models', describeModels(app)],
    ['Tools', describeTools(app)],
    ['Database', describeDatabase(config)],
    ['Files', describeFiles(config)],
  ];
  if (app.newUniversalKey !== undefined)
    rows.push([
      'API key',
      `${app.newUniversalKey}   (shown this once; \`npm start -- --rotate-universal-key\` makes another)`,
    ]);
  const hints = isPlayground
    ? [
        '',
        '  A simulated Telegram on this machine. For the real one set BOT_TOKEN; for real models a provider key: see .env.example.',
      ]
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

function describeWay({ telegram }: Config): string {
  if (telegram.mode === 'playground') return '';
  return telegram.webhook ? `, webhook at ${telegram.webhook.url}` : ', long polling';
}

/** `12 from groq, 300 from openrouter; people get groq's llama until they choose; pictures by flux-1`. */
export function describeModels(
  known: Pick<StartedService, 'providers' | 'modelCount' | 'defaultModel' | 'defaultImageModel'>,
): string {
  if (known.modelCount === 0) return 'none yet: no provider has answered';
  const sources = known.providers
    .filter((provider) => provider.modelCount > 0)
    .map((provider) => `${provider.modelCount} from ${provider.name}`);
  return [
    sources.join(', '),
    `people get ${known.defaultModel ?? 'none'} until they choose`,
    known.defaultImageModel === undefined ? 'no pictures' : `pictures by ${known.defaultImageModel}`,
  ].join('; ');
}

/** `calculator, current_time, web_search (search); nothing yet from home`. */
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

/** Where files are kept. */
export function describeFiles({ storage: { place } }: Config): string {
  if (place.kind === 'disk')
    return `on this disk in ${place.directory} (for development; STORAGE_CHAT_IDS keeps them at Telegram)`;
  const bots = place.botTokens.length === 1 ? '1 bot' : `${place.botTokens.length} bots`;
  const channels = place.chatIds.length === 1 ? 'the Telegram channel' : 'the Telegram channels';
  return `in ${channels} ${place.chatIds.join(', ')} by ${bots}`;
}

/** Where data is kept, without any password. */
export function describeDatabase(config: Config): string {
  if (config.database.kind === 'embedded') return `embedded Postgres in ${config.database.directory}`;
  const { hostname, pathname } = new URL(config.database.url);
  return `Postgres at ${hostname}${pathname}`;
}
