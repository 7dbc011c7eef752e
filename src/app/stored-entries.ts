import { type ProvidersFile, readProvidersContent } from '../core/models/index.ts';
import { type SettingId, type SettingKind, splitSettingId } from '../core/stored-settings/index.ts';
import { SettingsError } from '../lib/errors/settings-error.ts';
import { isJsonObject, type JsonObject } from '../lib/json/json.ts';
import { listSecretTexts } from './secret-fields.ts';

/** Parts of the providers file that a setting becomes. */
type Part = Pick<ProvidersFile, 'providers' | 'aliases' | 'plans' | 'budget'> & {
  readonly sources: ProvidersFile['tools']['sources'];
};

/**
 * Reads a setting that stands for an entry of the providers file, by the rules of the file and two more: nothing of the
 * environment is used, and no program is run.
 * @throws SettingsError whose problems begin with the name of the setting.
 */
export function readStoredEntry(id: SettingId, value: unknown): Part {
  const { kind, name } = splitSettingId(id);
  const problems = findForbidden(kind, value);
  if (problems.length > 0) throw new SettingsError(problems.map((problem) => `${kind} ${name}: ${problem}`));
  try {
    const { providers, aliases, plans, budget, tools } = readProvidersContent(toContent(kind, name, value));
    // What is a variable in the file is a text here.
    const secrets = listSecretTexts(kind, value);
    return { providers, aliases, plans, budget, sources: tools.sources.map((source) => ({ ...source, secrets })) };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new SettingsError(error.problems.map((problem) => renamePath(problem, kind, name)));
  }
}

/** Returns the content of a providers file with this entry only. */
export function toContent(kind: SettingKind, name: string, value: unknown): JsonObject {
  const fields = isJsonObject(value) ? value : undefined;
  switch (kind) {
    case 'provider':
      return { providers: [fields ? { ...fields, name } : value] };
    case 'tool':
      return {
        tools: [fields ? { ...fields, ...(fields['function'] === undefined ? { name } : { function: name }) } : value],
      };
    case 'plan':
      return { plans: { [name]: value } };
    case 'alias':
      return { aliases: { [name]: value } };
    case 'budget':
      return { budget: value };
    case 'variable':
      return {};
  }
}

/** A text that is nothing but the name of a variable. */
const VARIABLE = /^\s*\$(?:\{\w+\}|\w+)\s*$/;

function findForbidden(kind: SettingKind, value: unknown): string[] {
  const fields = isJsonObject(value) ? value : {};
  const problems =
    kind !== 'tool'
      ? []
      : ['command', 'built_in'].flatMap((field) =>
          field in fields ? [`${field}: only the operator can set it, in the providers file`] : [],
        );
  if (listSecretTexts(kind, value).some((text) => VARIABLE.test(text)))
    problems.push("variables of the environment can't be used here: enter the value itself");
  return problems;
}

/** Replaces the path of the entry in a file: `providers[0].base_url: …` becomes `provider home: base_url: …`. */
function renamePath(problem: string, kind: SettingKind, name: string): string {
  const rest = problem
    .replace(/^(?:providers|tools)\[0\]\.?/, '')
    .replace(/^(?:plans|aliases)\.[^.:]*\.?/, '')
    .replace(/^budget\.?/, '')
    .replace(/^:\s*/, '');
  return `${kind} ${name}: ${rest}`;
}
