import { parseDocument } from 'yaml';
import { z } from 'zod';
import { toPresetProvider } from './preset-provider.ts';
import { findPreset, PROVIDER_PRESETS, type ProviderPreset } from './presets.ts';
import type { ProviderModel } from './provider.ts';
import type { OpenAiCompatibleConfig } from './providers/openai-compatible/openai-compatible-config.ts';

/** What a providers file says. */
export interface ProvidersFile {
  /** In the order of the file. */
  readonly providers: readonly OpenAiCompatibleConfig[];
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  readonly defaultModel: string | undefined;
}

/** Everything that is wrong with a providers file, one readable line for each problem. */
export class ProvidersFileError extends Error {
  override readonly name = 'ProvidersFileError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

const text = z.string().trim().min(1, 'must not be empty');
const amount = z.number().nonnegative('must not be negative');
const milliseconds = z.number().int('must be whole milliseconds').positive('must be more than 0');
const oneOrMore = <Item extends z.ZodType>(item: Item) => z.union([item.transform((only) => [only]), z.array(item)]);

const modelSchema = z.union([
  text,
  z.strictObject({
    id: text,
    name: text.optional(),
    type: z.enum(['chat', 'image']).optional(),
    owner: text.optional(),
    context_length: z.number().int().positive().optional(),
    price: z.strictObject({ input: amount, output: amount }).optional(),
    images: z.boolean().optional(),
  }),
]);

const providerSchema = z.strictObject({
  name: text.regex(/^[a-z0-9][a-z0-9-]*$/, 'must be lowercase letters, digits and hyphens').optional(),
  preset: text.optional(),
  base_url: text.optional(),
  api_keys: oneOrMore(text).optional(),
  headers: z.record(z.string(), z.coerce.string()).optional(),
  models: oneOrMore(modelSchema).optional(),
  models_url: text.optional(),
  weight: amount.optional(),
  timeouts: z
    .strictObject({
      connect_ms: milliseconds.optional(),
      first_token_ms: milliseconds.optional(),
      idle_ms: milliseconds.optional(),
      total_ms: milliseconds.optional(),
    })
    .optional(),
});

const fileSchema = z.strictObject({
  providers: z.array(providerSchema).default([]),
  aliases: z.record(text, oneOrMore(text)).default({}),
  default_model: text.optional(),
});

type ProviderEntry = z.infer<typeof providerSchema>;
type Variables = (name: string) => string | undefined;

/**
 * Reads a providers file (`providers.example.yaml` documents it). `$NAME` and `${NAME}` in addresses, keys and header
 * values are variables, `$$` is a dollar sign.
 * @throws ProvidersFileError with every problem at once; values of variables are never in it.
 */
export function parseProvidersFile(yamlText: string, variables: Variables): ProvidersFile {
  const document = parseDocument(yamlText, { prettyErrors: true });
  if (document.errors.length > 0) {
    throw new ProvidersFileError(document.errors.map(({ message }) => message.split('\n')[0] ?? message));
  }
  const parsed = fileSchema.safeParse(document.toJS() ?? {});
  if (!parsed.success) throw new ProvidersFileError(parsed.error.issues.flatMap((issue) => describe(issue, [])));
  const problems: string[] = [];
  const providers = parsed.data.providers.map((entry, index) =>
    toProvider(entry, variables, (problem) => problems.push(`providers[${index}]${problem}`)),
  );
  const names = providers.map(({ name }) => name);
  names.forEach((name, index) => {
    if (names.indexOf(name) < index)
      problems.push(`providers[${index}].name: '${name}' is the name of another provider`);
  });
  if (problems.length > 0) throw new ProvidersFileError(problems);
  return { providers, aliases: parsed.data.aliases, defaultModel: parsed.data.default_model };
}

function toProvider(
  entry: ProviderEntry,
  variables: Variables,
  report: (problem: string) => void,
): OpenAiCompatibleConfig {
  const preset = entry.preset === undefined ? undefined : findPreset(entry.preset);
  if (entry.preset !== undefined && !preset) {
    report(`.preset: '${entry.preset}' is unknown; known are ${PROVIDER_PRESETS.map(({ name }) => name).join(', ')}`);
  }
  const name = entry.name ?? entry.preset;
  if (name === undefined) report('.name: is missing');
  const expand = (value: string, path: string) =>
    expandVariables(value, variables, (problem) => report(`${path}: ${problem}`));
  const baseUrl = entry.base_url === undefined ? preset?.baseUrl : expand(entry.base_url, '.base_url');
  if (baseUrl === undefined && entry.preset === undefined) report(': needs a base_url or a preset');
  if (baseUrl !== undefined && !/^https?:\/\/\S+$/.test(baseUrl))
    report('.base_url: must be an http:// or https:// address');
  const listed = entry.models?.filter((model) => model !== '*');
  const timeouts = entry.timeouts;
  return {
    ...(preset ? toPresetProvider(preset, []) : {}),
    kind: 'openai-compatible',
    name: name ?? '',
    baseUrl: baseUrl ?? '',
    apiKeys: toKeys(entry, preset, variables, expand, report),
    headers: {
      ...preset?.headers,
      ...Object.fromEntries(
        Object.entries(entry.headers ?? {}).map(([field, value]) => [field, expand(value, `.headers.${field}`)]),
      ),
    },
    ...(listed && listed.length > 0 ? { models: listed.map(toModel) } : {}),
    ...(entry.models_url === undefined ? {} : { modelsUrl: expand(entry.models_url, '.models_url') }),
    acceptsAnyModel: entry.models?.includes('*') ?? false,
    weight: entry.weight,
    timeouts: {
      ...(timeouts?.connect_ms === undefined ? {} : { connectMs: timeouts.connect_ms }),
      ...(timeouts?.first_token_ms === undefined ? {} : { firstTokenMs: timeouts.first_token_ms }),
      ...(timeouts?.idle_ms === undefined ? {} : { idleMs: timeouts.idle_ms }),
      ...(timeouts?.total_ms === undefined ? {} : { totalMs: timeouts.total_ms }),
    },
  };
}

/** The keys of the entry, else those in the preset's own variable; none where neither says anything and no preset wants one. */
function toKeys(
  entry: ProviderEntry,
  preset: ProviderPreset | undefined,
  variables: Variables,
  expand: (value: string, path: string) => string,
  report: (problem: string) => void,
): readonly string[] {
  if (entry.api_keys) return entry.api_keys.flatMap((key, index) => splitKeys(expand(key, `.api_keys[${index}]`)));
  if (!preset) return [];
  const keys = splitKeys(variables(preset.keyVariable) ?? '');
  if (keys.length === 0) report(`.api_keys: is missing, and the variable ${preset.keyVariable} is not set`);
  return keys;
}

/** A variable may hold several keys. */
function splitKeys(keys: string): readonly string[] {
  return keys
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
}

function toModel(model: z.infer<typeof modelSchema>): ProviderModel {
  if (typeof model === 'string') return { id: model, type: 'chat' };
  return {
    id: model.id,
    type: model.type ?? 'chat',
    ownedBy: model.owner,
    displayName: model.name,
    contextLength: model.context_length,
    price: model.price,
    acceptsImages: model.images,
  };
}

function expandVariables(value: string, variables: Variables, report: (problem: string) => void): string {
  return value.replace(/\$(?:\$|\{(\w+)\}|(\w+))/g, (match, braced?: string, bare?: string) => {
    const name = braced ?? bare;
    if (name === undefined) return '$';
    const content = variables(name)?.trim();
    if (content === undefined || content === '') report(`the variable ${name} is not set`);
    return content ?? match;
  });
}

/** One line for each problem: `providers[0].weight: must not be negative`. */
function describe(issue: z.core.$ZodIssue, parents: readonly PropertyKey[]): string[] {
  const path = [...parents, ...issue.path];
  if (issue.code === 'invalid_union') {
    // The alternative that came closest says most.
    const closest = [...issue.errors].sort((a, b) => deepest(b) - deepest(a))[0] ?? [];
    const hasInner = deepest(closest) > 0;
    return hasInner ? closest.flatMap((inner) => describe(inner, path)) : [`${toPath(path)}: has the wrong form`];
  }
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${toPath([...path, key])}: there is no such setting`);
  if (issue.code === 'invalid_type') return [`${toPath(path)}: must be ${article(issue.expected)}`];
  const message = issue.message.startsWith('must')
    ? issue.message
    : issue.message.replace(/^\w/, (first) => first.toLowerCase());
  return [`${toPath(path)}: ${message}`];
}

function deepest(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length + (issue.code === 'unrecognized_keys' ? 1 : 0)));
}

function article(expected: string): string {
  const names: Record<string, string> = {
    array: 'a list',
    record: 'a set of fields',
    object: 'a set of fields',
    int: 'a whole number',
  };
  return names[expected] ?? `a ${expected}`;
}

function toPath(path: readonly PropertyKey[]): string {
  const joined = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return joined.replace(/^\./, '') || 'the file';
}
