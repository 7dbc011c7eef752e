import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

export interface Environment {
  /** Variables of the process and of `.env`. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Names in the `.env` file. */
  readonly fileNames: readonly string[];
}

/** Reads the environment and the `.env` file of the working directory. Variables of the environment take precedence. */
export function readEnvironment(): Environment {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return { values: { ...file, ...process.env }, fileNames: Object.keys(file) };
}
