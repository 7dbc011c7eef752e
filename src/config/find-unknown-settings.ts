import type { Environment } from './env.ts';
import { settingNames } from './schema.ts';

/** Variables of `compose.yaml`, of Node.js and of libraries, which may be in a `.env` file. */
const FOREIGN =
  /^(?:POSTGRES_PASSWORD|BIND_ADDRESS|TELEGRAM_API_(?:ID|HASH)|TZ|LANG|LC_\w+|(?:COMPOSE|DOCKER|NODE|NPM|OTEL|PG|SSL|UV)_?\w*|(?:HTTPS?|NO|ALL)_PROXY)$/i;

/** Settings of several words: other programs have variables like `HOST`, too. */
const DISTINCT_NAMES = settingNames.filter((name) => name.includes('_'));
/** Settings that other programs use with a prefix of theirs: `STAGING_DATABASE_URL`. */
const COMMON_ENDS = /^(?:DATABASE_URL|PUBLIC_URL|DATA_DIR|LOG_LEVEL|OPENAI_\w+|AWS_\w+|AZURE_\w+|OTEL_\w+)$/;
/** Maximum number of wrong letters of a name in the environment, which contains names of other programs. */
const MAX_WRONG_LETTERS = 2;

/** Sentences about names that are probably misspelt settings. */
interface UnknownSettings {
  /** Names that are certainly meant for this service. */
  readonly problems: readonly string[];
  /** Names that may be meant for another program. */
  readonly warnings: readonly string[];
}

/**
 * Finds names that are not settings: all in the `.env` file, which is for this service only, and in the environment of
 * the process those that resemble a setting without a value (`ALOWED_IDS`) or end like one (`TELEGRAM_BOT_TOKEN`).
 * @param known names of settings and other variables in use.
 */
export function findUnknownSettings({ values, fileNames }: Environment, known: readonly string[]): UnknownSettings {
  const isUnknown = (name: string) => !known.includes(name) && !FOREIGN.test(name);
  const missing = DISTINCT_NAMES.filter((name) => !values[name]?.trim());
  const inFile = new Set(fileNames);
  const inEnvironment = Object.keys(values).filter(
    (name) => !inFile.has(name) && isUnknown(name) && values[name]?.trim(),
  );
  const misspelt = new Map(inEnvironment.map((name) => [name, findNearest(name, missing, MAX_WRONG_LETTERS)]));
  return {
    problems: [
      ...fileNames
        .filter(isUnknown)
        .map((name) => describe(name, findNearest(name, known, Math.min(4, Math.floor(name.length / 2))))),
      ...[...misspelt].flatMap(([name, nearest]) => (nearest === undefined ? [] : [describe(name, nearest)])),
    ],
    warnings: inEnvironment.flatMap((name) => {
      if (misspelt.get(name) !== undefined) return [];
      const meant = missing.find((setting) => !COMMON_ENDS.test(setting) && name.toUpperCase().endsWith(`_${setting}`));
      return meant === undefined && !/_IDS$/i.test(name) ? [] : [describe(name, meant)];
    }),
  };
}

function describe(name: string, nearest: string | undefined): string {
  return `${name} is not a setting. ${nearest === undefined ? 'docs/configuration.md lists all settings' : `Did you mean ${nearest}?`}`;
}

function findNearest(name: string, settings: readonly string[], maxEdits: number): string | undefined {
  const [nearest] = settings
    .map((candidate) => ({ candidate, distance: countEdits(name.toUpperCase(), candidate) }))
    .filter(({ distance }) => distance <= maxEdits)
    .sort((left, right) => left.distance - right.distance);
  return nearest?.candidate;
}

/** Returns the Levenshtein distance. */
function countEdits(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
