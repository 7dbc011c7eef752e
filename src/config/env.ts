import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** The environment, with a `.env` file of the working folder behind it: what stands in the environment wins. Read anew at each call. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return { ...file, ...process.env };
}
