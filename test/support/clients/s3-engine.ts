import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import type { BucketSettings } from '../../../src/core/storage/index.ts';
import { findFreePort } from '../harness/process.ts';
import { killChild, untilAnswers } from '../machine/child-processes.ts';
import { orSkip } from '../vitest/tiers.ts';

/** Engines that the tests know: a gateway in Go before a folder, which checks signatures, and one in Python in memory. */
export const S3_ENGINES = {
  versitygw: 'go install github.com/versity/versitygw/cmd/versitygw@v1.8.0',
  moto_server: "pip install 'moto[server]'",
} as const;

export type S3EngineName = keyof typeof S3_ENGINES;

/** Returns the path of an engine in `S3_ENGINES_DIR` or `PATH`. Skips like `orSkip`. */
export function findS3Engine(name: S3EngineName): string | undefined {
  const folders = [process.env.S3_ENGINES_DIR ?? '', ...(process.env['PATH'] ?? '').split(delimiter)];
  const path = folders.map((folder) => join(folder, name)).find((place) => existsSync(place));
  return orSkip(path, `${name} is not there: ${S3_ENGINES[name]} (or name its folder in S3_ENGINES_DIR)`);
}

export interface S3Engine {
  /** An empty bucket, and a key that may do everything. */
  readonly bucket: BucketSettings;
  /** Returns the keys of the objects, at most 1000. */
  listObjects(): Promise<readonly string[]>;
  /** Kills the engine; `restart` starts it on the same data, if it keeps any. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

const ACCESS_KEY_ID = 'switchboard-tests';
const SECRET_ACCESS_KEY = 'a secret of the tests only';
const BUCKET = 'files';
/** Below it, `versitygw` has buckets by the names of hosts. */
export const VIRTUAL_DOMAIN = 's3.test';

/** Starts an engine with a bucket in path style. */
export async function startS3Engine(name: S3EngineName): Promise<S3Engine> {
  const program = findS3Engine(name);
  if (program === undefined) throw new Error(`${name} is not there`);
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-s3-'));
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const args =
    name === 'versitygw'
      ? [
          '--port',
          `127.0.0.1:${port}`,
          '--virtual-domain',
          `${VIRTUAL_DOMAIN}:${port}`,
          '--quiet',
          'posix',
          '--sidecar',
          join(folder, 'metadata'),
          join(folder, 'data'),
        ]
      : ['-H', '127.0.0.1', '-p', String(port)];
  const env = { ...process.env, ROOT_ACCESS_KEY: ACCESS_KEY_ID, ROOT_SECRET_KEY: SECRET_ACCESS_KEY };
  for (const part of ['metadata', join('data', BUCKET)]) await mkdir(join(folder, part), { recursive: true });
  let engine: ChildProcess | undefined;
  const kill = async () => {
    const killed = engine;
    engine = undefined;
    if (killed) await killChild(killed);
  };
  const start = async () => {
    engine = spawn(program, args, { env, stdio: 'ignore' });
    await untilAnswers(engine, origin);
  };
  const close = async () => {
    await kill();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await start();
    if (name === 'moto_server') await fetch(`${origin}/${BUCKET}`, { method: 'PUT' });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    bucket: {
      url: `${origin}/${BUCKET}`,
      region: undefined,
      accessKeyId: ACCESS_KEY_ID,
      secretAccessKey: SECRET_ACCESS_KEY,
    },
    async listObjects() {
      const client = new AwsClient({ accessKeyId: ACCESS_KEY_ID, secretAccessKey: SECRET_ACCESS_KEY, service: 's3' });
      const answer = await client.fetch(`${origin}/${BUCKET}?list-type=2`);
      return [...(await answer.text()).matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = '']) => key);
    },
    kill,
    restart: start,
    close,
  };
}
