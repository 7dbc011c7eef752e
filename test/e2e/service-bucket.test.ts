import { createHash, randomBytes, randomInt } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findS3Engine, startS3Engine } from '../support/clients/s3-engine.ts';
import { readUploadAnswer, type UploadAnswer } from '../support/harness/files.ts';
import {
  createWorkFolder,
  eventually,
  type RunningService,
  runToEnd,
  type Settings,
  startService,
} from '../support/harness/process.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const MIB = 1024 * 1024;
const KILLS = 3;
const toHash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Creates a work folder for the test. */
async function createFolder(): Promise<string> {
  const folder = await createWorkFolder();
  onTestFinished(() => folder.remove());
  return folder.path;
}

/** Starts a process that does not outlive the test. */
async function start(folder: string, settings?: Settings, args?: readonly string[]): Promise<RunningService> {
  const service = await startService(folder, settings, undefined, args);
  onTestFinished(async () => void (await service.kill()));
  return service;
}

async function upload(service: RunningService, bytes: Buffer): Promise<UploadAnswer> {
  const answer = await readUploadAnswer(
    service.get('/upload/some.bin', { method: 'PUT', body: new Uint8Array(bytes) }),
  );
  expect(answer.sha256).toBe(toHash(bytes));
  return answer;
}

describe.skipIf(findS3Engine('versitygw') === undefined)('a service with a bucket', () => {
  const engine = startBeforeAll(() => startS3Engine('versitygw'));
  const toSettings = (changes: Settings = {}): Settings => ({
    S3_BUCKET_URL: engine.bucket.url,
    S3_ACCESS_KEY_ID: engine.bucket.accessKeyId,
    S3_SECRET_ACCESS_KEY: engine.bucket.secretAccessKey,
    ...changes,
  });

  test('moves the files of the disk over kill -9, and serves them meanwhile', async () => {
    const folder = await createFolder();
    let service = await start(folder);
    const files: UploadAnswer[] = [];
    for (const bytes of [1, 70_000, 5 * MIB, 45 * MIB]) files.push(await upload(service, randomBytes(bytes)));
    const expectAll = async () => {
      for (const { id, sha256 } of files)
        expect(toHash(Buffer.from(await (await service.get(`/file/${id}/a.bin`)).arrayBuffer()))).toBe(sha256);
    };
    await service.stop();
    for (let kill = 0; kill < KILLS; kill++) {
      service = await start(folder, toSettings(), ['--move-files']);
      await new Promise((resolve) => setTimeout(resolve, randomInt(400)));
      await service.kill();
    }
    service = await start(folder, toSettings(), ['--move-files']);
    await expectAll();
    await service.prints(/all files are in this store/);
    await expectAll();
    const added = await upload(service, randomBytes(MIB));
    expect((await engine.listObjects()).length).toBeGreaterThan(4);
    for (const { id, owner } of [...files, added])
      expect((await service.get(`/file/${id}`, { method: 'DELETE', headers: { authorization: owner } })).status).toBe(
        200,
      );
    // Copies whose process was killed wait for their leases, an hour at most.
    await eventually(async () => (await engine.listObjects()).length <= KILLS || undefined);
    await service.stop();
  });

  test('reports in --check what is wrong with it, without its key', async () => {
    const folder = await createFolder();
    const check = (changes: Settings = {}) => runToEnd(folder, ['--check'], toSettings(changes));
    const right = await check();
    expect(right.stdout).toContain(
      `in the bucket ${engine.bucket.url}\n            - a small object was stored, read and deleted`,
    );
    const wrong = await check({ S3_SECRET_ACCESS_KEY: 'not-the-right-key-0123456789' });
    expect(wrong.code).toBe(78);
    expect(wrong.stderr).toContain(
      `The bucket ${engine.bucket.url} can't store files: the bucket answered 403 SignatureDoesNotMatch`,
    );
    expect((await check({ S3_BUCKET_URL: `${engine.bucket.url}-gone` })).stderr).toContain('404 NoSuchBucket');
  });

  test('refuses uploads while the bucket does not answer, and takes them again', async () => {
    const folder = await createFolder();
    const service = await start(folder, toSettings());
    const kept = await upload(service, randomBytes(1000));
    await engine.kill();
    expect((await service.get(`/file/${kept.id}/a.bin`)).status).toBe(503);
    await engine.restart();
    await upload(service, randomBytes(1000));
    expect((await service.get(`/file/${kept.id}/a.bin`)).status).toBe(200);
    await service.stop();
  });
});
