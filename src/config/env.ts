import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';

/** The environment, with a `.env` file of the working folder behind it: what stands in the environment wins. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  if (existsSync('.env')) loadEnvFile('.env');
  return process.env;
}
