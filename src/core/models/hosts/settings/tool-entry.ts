import { z } from 'zod';
import {
  BUILT_IN_TOOLS,
  DEFAULT_TOOL_LIMITS,
  type ToolLimits,
  type ToolSourceConfig,
  type ToolsConfig,
} from '../../../tools/index.ts';
import { expand, type Reading, readHeaders } from './expand-variables.ts';

const text = z.string().trim().min(1, 'must not be empty');
const texts = z.record(z.string(), z.coerce.string());
const sourceName = text.regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'must be 1 to 32 lowercase letters, digits, _ and -');
const toolName = text.regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, _ and -');
const count = z.number().int('must be whole').positive('must be more than 0');

const KINDS = ['mcp', 'command', 'function', 'built_in'] as const;

/**
 * Schema of an entry of `tools` in a providers file: an MCP server by its address or its command, a function behind a
 * URL, or a built-in tool.
 */
export const toolEntrySchema = z.strictObject({
  name: sourceName.optional(),
  mcp: text.optional(),
  command: text.optional(),
  args: z.array(z.coerce.string()).optional(),
  env: texts.optional(),
  only: z.array(text).optional(),
  function: toolName.optional(),
  url: text.optional(),
  description: text.optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  headers: texts.optional(),
  built_in: z.enum(BUILT_IN_TOOLS, `must be among ${BUILT_IN_TOOLS.join(', ')}`).optional(),
  ask: z.union([z.boolean(), z.record(text, z.boolean())]).optional(),
});

/** Schema of `built_in_tools` in a providers file. Default all. */
export const builtInToolsSchema = z
  .array(z.enum(BUILT_IN_TOOLS, `must be among ${BUILT_IN_TOOLS.join(', ')}`))
  .default([...BUILT_IN_TOOLS]);

/** Schema of `tool_limits` in a providers file, with defaults. */
export const toolLimitsSchema = z
  .strictObject({
    steps: count.max(50, 'must be at most 50').optional(),
    calls_at_once: count.max(50, 'must be at most 50').optional(),
    call_seconds: count.max(600, 'must be at most 600').optional(),
    total_seconds: count.max(3600, 'must be at most 3600').optional(),
    result_characters: count.max(400_000, 'must be at most 400000').optional(),
    tokens: count.optional(),
    cost_usd: z.number().positive('must be more than 0').optional(),
  })
  .default({})
  .transform(
    (limits): ToolLimits => ({
      steps: limits.steps ?? DEFAULT_TOOL_LIMITS.steps,
      callsAtOnce: limits.calls_at_once ?? DEFAULT_TOOL_LIMITS.callsAtOnce,
      callTimeoutMs: limits.call_seconds === undefined ? DEFAULT_TOOL_LIMITS.callTimeoutMs : limits.call_seconds * 1000,
      totalMs: limits.total_seconds === undefined ? DEFAULT_TOOL_LIMITS.totalMs : limits.total_seconds * 1000,
      resultCharacters: limits.result_characters ?? DEFAULT_TOOL_LIMITS.resultCharacters,
      tokens: limits.tokens ?? DEFAULT_TOOL_LIMITS.tokens,
      costUsd: limits.cost_usd ?? DEFAULT_TOOL_LIMITS.costUsd,
    }),
  );

type ToolEntry = z.infer<typeof toolEntrySchema>;

/** Fields that each kind may have besides its own. */
const FIELDS: Readonly<Record<(typeof KINDS)[number], readonly (keyof ToolEntry)[]>> = {
  mcp: ['name', 'headers', 'only', 'ask'],
  command: ['name', 'args', 'env', 'only', 'ask'],
  function: ['url', 'description', 'parameters', 'headers', 'ask'],
  built_in: ['ask'],
};

/** Returns the permissions that entries of built-in tools set; undefined without such entries. */
export function toAskForBuiltIn(entries: readonly ToolEntry[]): ToolsConfig['askForBuiltIn'] {
  const pairs = entries.flatMap(({ built_in: name, ask }) => (name && typeof ask === 'boolean' ? [[name, ask]] : []));
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

/**
 * Converts an entry to a configuration; undefined for built-in tools and unclear kinds. If anything is reported, the
 * result is unusable.
 */
export function toToolSource(entry: ToolEntry, reading: Reading): ToolSourceConfig | undefined {
  const { report } = reading;
  const kinds = KINDS.filter((kind) => entry[kind] !== undefined);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    report(`: must have one of ${KINDS.join(', ')}`);
    return undefined;
  }
  for (const field of Object.keys(entry)) {
    const isKnown = field === kind || FIELDS[kind].some((allowed) => allowed === field);
    if (!isKnown) report(`.${field}: does not go with ${kind}, only ${FIELDS[kind].join(', ')}`);
  }
  if ((kind === 'function' || kind === 'built_in') && typeof entry.ask === 'object')
    report('.ask: must be true or false');
  if (kind === 'built_in') {
    if (entry.ask === undefined) report('.ask: is missing');
    return undefined;
  }
  const secrets = new Set<string>();
  const recordingSecrets: Reading = { ...reading, variables: (name) => recordSecret(reading.variables(name), secrets) };
  const config = kind === 'function' ? toFunction(entry, recordingSecrets) : toMcpServer(entry, recordingSecrets);
  return { ...config, secrets: [...secrets], ...(entry.ask !== undefined && { ask: entry.ask }) };
}

/** Shorter values are not secrets, and removing them would garble every line. */
const MIN_SECRET_LENGTH = 6;

function recordSecret(value: string | undefined, secrets: Set<string>): string | undefined {
  const trimmed = value?.trim();
  if (trimmed !== undefined && trimmed.length >= MIN_SECRET_LENGTH) secrets.add(trimmed);
  return value;
}

function toMcpServer(entry: ToolEntry, reading: Reading): ToolSourceConfig {
  const { name, only, mcp, command = '', args = [] } = entry;
  if (name === undefined) reading.report('.name: is missing');
  const common = { kind: 'mcp', name: name ?? '', only, secrets: [] } as const;
  if (mcp === undefined) {
    return {
      ...common,
      reach: {
        kind: 'command',
        command: expand(command, '.command', reading),
        args: args.map((arg, index) => expand(arg, `.args[${index}]`, reading)),
        env: readHeaders(entry.env, reading, '.env'),
      },
    };
  }
  const url = readUrl(mcp, '.mcp', reading);
  return { ...common, reach: { kind: 'http', url, headers: readHeaders(entry.headers, reading) } };
}

function toFunction(entry: ToolEntry, reading: Reading): ToolSourceConfig {
  if (entry.url === undefined) reading.report('.url: is missing');
  if (entry.description === undefined) reading.report('.description: is missing: models go by it');
  return {
    kind: 'function',
    name: entry.function ?? '',
    description: entry.description ?? '',
    parameters: entry.parameters ?? { type: 'object', properties: {} },
    url: entry.url === undefined ? '' : readUrl(entry.url, '.url', reading),
    headers: readHeaders(entry.headers, reading),
    secrets: [],
  };
}

function readUrl(written: string, path: string, reading: Reading): string {
  const url = expand(written, path, reading);
  const isUrl = /^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '');
  if (url !== '' && !isUrl) reading.report(`${path}: must be an http:// or https:// address`);
  return url;
}
