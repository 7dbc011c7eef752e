import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { startHttpService } from '../support/harness/http.ts';
import { orSkip, startBeforeAll } from '../support/vitest/tiers.ts';

const run = promisify(execFile);
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => undefined,
);
const isThere = orSkip(hasCurl, 'curl is not there: apt-get install curl') ?? false;

describe.skipIf(!isThere)('curl', () => {
  let folder: string;

  const service = startBeforeAll(() => startHttpService({ storageOptions: { maxFileBytes: 20_000_000 } }));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchboard-curl-'));
    return () => rm(folder, { recursive: true, force: true });
  });

  const curl = async (...parameters: string[]): Promise<string> =>
    (await run('curl', ['-sS', '--max-time', '20', ...parameters], { cwd: folder })).stdout;
  const upload = async (...parameters: string[]) => JSON.parse(await curl(...parameters));
  const content = Buffer.alloc(5_000_000, 'content of the file, ');

  test.each(['notes.txt', 'привет 😀.bin', 'a "b" c.bin'])(
    'uploads %s by form and by PUT, and downloads it',
    async (name) => {
      await writeFile(join(folder, name), content);
      for (const how of [
        ['-F', `file=@"${name.replaceAll('"', '\\"')}"`, `${service.url}/upload`],
        ['-T', name, `${service.url}/upload/`],
      ]) {
        const { ok, url, name: stored } = await upload(...how);
        expect([ok, stored]).toEqual([true, name.replaceAll('"', '_')]);
        await curl('-o', 'saved', url);
        expect((await readFile(join(folder, 'saved'))).equals(content)).toBe(true);
      }
    },
  );

  test('resumes a partial download', async () => {
    await writeFile(join(folder, 'a'), content);
    const { url } = await upload('-T', 'a', `${service.url}/upload/`);
    await curl('-o', 'saved', url);
    await truncate(join(folder, 'saved'), 2_000_000);
    const before = await curl('-C', '-', '-o', 'saved', '-w', '%{http_code} %{size_download}', url);
    expect(before).toBe('206 3000000');
    expect((await readFile(join(folder, 'saved'))).equals(content)).toBe(true);
  });

  test('takes the name from the header', async () => {
    await writeFile(join(folder, 'a'), 'x');
    const { url } = await upload('-T', 'a', `${service.url}/upload/report.txt`);
    await curl('-OJ', url);
    expect(await readdir(folder)).toContain('report.txt');
  });

  test('shows why a file is refused, with and without waiting for 100 Continue', async () => {
    await writeFile(join(folder, 'a'), Buffer.alloc(30_000_000));
    for (const how of [[], ['-H', 'Expect:'], ['-H', 'Transfer-Encoding: chunked']]) {
      const answer = await upload(...how, '-T', 'a', `${service.url}/upload/`);
      expect(answer.error.code).toBe('file_too_large');
      const form = await upload(...how, '-F', 'file=@a', `${service.url}/upload`);
      expect(form.error.code).toBe('file_too_large');
    }
  });

  test('deletes by the owner key', async () => {
    await writeFile(join(folder, 'a'), 'x');
    const { url, owner } = await upload('-T', 'a', `${service.url}/upload/`);
    expect(await curl('-X', 'DELETE', '-H', `Authorization: ${owner}`, url)).toBe('{"ok":true}');
    expect(await curl('-o', '/dev/null', '-w', '%{http_code}', url)).toBe('404');
  });
});
