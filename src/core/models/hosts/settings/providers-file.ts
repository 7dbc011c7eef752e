import { parseDocument, stringify } from 'yaml';
import { z } from 'zod';
import { SettingsError } from '../../../../lib/errors/settings-error.ts';
import { type InstanceBudget, instanceBudgetSchema, type Plans, plansSchema } from '../../../limits/index.ts';
import type { ToolsConfig } from '../../../tools/index.ts';
import type { ConfiguredProvider } from './models-config.ts';
import { oneOrMore, providerEntrySchema, toProviderConfig } from './provider-entry.ts';
import { builtInToolsSchema, toAskForBuiltIn, toolEntrySchema, toolLimitsSchema, toToolSource } from './tool-entry.ts';

/** Content of a providers file. */
export interface ProvidersFile {
  /** In the order of the file. */
  readonly providers: readonly ConfiguredProvider[];
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  readonly defaultModel: string | undefined;
  readonly defaultImageModel: string | undefined;
  /** `library.embedding_model`: model by which libraries are searched by meaning. Default none. */
  readonly libraryEmbeddingModel?: string | undefined;
  /** Limits for users, by the name of their plan. */
  readonly plans: Plans;
  /** Budget of the whole instance. Default none. */
  readonly budget?: InstanceBudget | undefined;
  /** Tools that models can call in chats. */
  readonly tools: ToolsConfig;
}

const text = z.string().trim().min(1, 'must not be empty');

/** Accepts an empty section: YAML reads it as null, for example if all its entries are commented out. */
const section = <Schema extends z.ZodType>(schema: Schema) => z.preprocess((value) => value ?? undefined, schema);

const fileSchema = z.strictObject({
  providers: section(z.array(providerEntrySchema).default([])),
  aliases: section(z.record(text, oneOrMore(text)).default({})),
  default_model: text.optional(),
  default_image_model: text.optional(),
  library: section(z.strictObject({ embedding_model: text.optional() }).optional()),
  plans: section(plansSchema.default({})),
  budget: section(instanceBudgetSchema.optional()),
  tools: section(z.array(toolEntrySchema).default([])),
  built_in_tools: builtInToolsSchema,
  tool_limits: section(toolLimitsSchema),
});

type Variables = (name: string) => string | undefined;

/**
 * Reads a providers file (`providers.example.yaml` documents it). `$NAME` and `${NAME}` in addresses, keys and header
 * values are variables, `$$` is a dollar sign.
 * @throws SettingsError with every problem at once, without values of variables.
 */
export function parseProvidersFile(yamlText: string, variables: Variables): ProvidersFile {
  return readProvidersContent(parseYaml(yamlText), variables);
}

/** Parses YAML. @throws SettingsError with every error, one line each */
export function parseYaml(yamlText: string): unknown {
  const document = parseDocument(yamlText, { prettyErrors: true });
  if (document.errors.length > 0) {
    throw new SettingsError(document.errors.map(({ message }) => message.split('\n')[0] ?? message));
  }
  return document.toJS() ?? {};
}

/** Prints a part of a providers file. */
export function stringifyYaml(content: unknown): string {
  return stringify(content, { lineWidth: 0 });
}

/**
 * Reads the content of a providers file.
 * @param variables undefined: there are none, and `$` has no meaning.
 * @throws SettingsError like `parseProvidersFile`
 */
export function readProvidersContent(content: unknown, variables?: Variables): ProvidersFile {
  const parsed = fileSchema.safeParse(content);
  if (!parsed.success) throw new SettingsError(parsed.error.issues.flatMap((issue) => describe(issue, [])));
  const problems: string[] = [];
  const source = { variables: variables ?? (() => undefined), isLiteral: !variables };
  const providers = parsed.data.providers.map((entry, index) =>
    toProviderConfig(entry, { ...source, report: (problem) => problems.push(`providers[${index}]${problem}`) }),
  );
  reportRepeated('providers', providers, 'provider', problems);
  const sources = parsed.data.tools.flatMap((entry, index) => {
    const report = (problem: string) => problems.push(`tools[${index}]${problem}`);
    return toToolSource(entry, { ...source, report }) ?? [];
  });
  reportRepeated('tools', sources, 'server or function', problems);
  const builtIn = parsed.data.tools.map(({ built_in: name = '' }) => ({ name }));
  reportRepeated('tools', builtIn, 'entry', problems);
  const askForBuiltIn = toAskForBuiltIn(parsed.data.tools);
  if (problems.length > 0) throw new SettingsError(problems);
  const { aliases, plans, budget, default_model: defaultModel, default_image_model: defaultImageModel } = parsed.data;
  const tools = {
    builtIn: parsed.data.built_in_tools,
    sources,
    limits: parsed.data.tool_limits,
    ...(askForBuiltIn && { askForBuiltIn }),
  };
  const libraryEmbeddingModel = parsed.data.library?.embedding_model;
  return { providers, aliases, defaultModel, defaultImageModel, libraryEmbeddingModel, plans, budget, tools };
}

function reportRepeated(
  list: string,
  entries: readonly { readonly name: string }[],
  what: string,
  problems: string[],
): void {
  const names = entries.map(({ name }) => name);
  names.forEach((name, index) => {
    if (name !== '' && names.indexOf(name) < index)
      problems.push(`${list}[${index}].name: '${name}' is the name of another ${what}`);
  });
}

/** Returns one line for each problem: `providers[0].weight: must not be negative`. */
function describe(issue: z.core.$ZodIssue, parents: readonly PropertyKey[]): string[] {
  const path = [...parents, ...issue.path];
  if (issue.code === 'invalid_union') {
    // Reports the alternative that matched best.
    const closest = [...issue.errors].sort((a, b) => deepest(b) - deepest(a))[0] ?? [];
    const hasInner = deepest(closest) > 0;
    return hasInner ? closest.flatMap((inner) => describe(inner, path)) : [`${toPath(path)}: has the wrong form`];
  }
  if (issue.code === 'invalid_key') return [`${toPath(path)}: ${issue.issues[0]?.message ?? 'is not a valid name'}`];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${toPath([...path, key])}: is not a known setting`);
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
