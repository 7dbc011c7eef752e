import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'drizzle-orm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/database/connect.ts';
import { eventually, runToEnd } from '../support/harness/process.ts';
import { startServiceHarness } from '../support/harness/service.ts';
import { answerHello } from '../support/hosts/fake-provider.ts';
import { copyEmbeddedTemplate } from '../support/stores/test-database.ts';
import { EXHAUSTIVE, orSkip } from '../support/vitest/tiers.ts';

/** Small file system in memory. */
interface SmallDisk {
  readonly path: string;
  /** Fills it with a file so that just `leftBytes` are free. Replaces an earlier file. */
  fill(leftBytes: number): Promise<void>;
  /** Removes that file. */
  empty(): Promise<void>;
  remove(): Promise<void>;
}

const MIB = 1024 * 1024;
const DYING_DATABASE = fileURLToPath(new URL('../support/programs/dying-database.ts', import.meta.url));

const probe = await mountSmallDisk(1);
await probe?.remove();
const canMount = orSkip(probe, 'No file system can be mounted here: run as root, in a container with CAP_SYS_ADMIN');

const mountDisk = async (sizeMib: number) => {
  const disk = await mountSmallDisk(sizeMib);
  if (!disk) throw new Error('no file system can be mounted any more');
  onTestFinished(() => disk.remove());
  return disk;
};

describe.skipIf(!canMount)('a full disk', () => {
  test('ends the start with one readable line', async () => {
    const disk = await mountDisk(12);
    const { code, stderr } = await runToEnd(disk.path, [], {});
    expect(stderr.trim()).toMatch(/^The database in \S+ can't be used: The disk is full: 1[012] MiB are free/);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(1);
  });

  test('stops uploads, then updates; with free space the same process continues and nothing is lost', async () => {
    const disk = await mountDisk(320);
    const data = join(disk.path, 'data');
    await copyEmbeddedTemplate(join(data, 'postgres'));
    const stage = await startServiceHarness({ settings: { DATA_DIR: data } });
    onTestFinished(() => stage.close());
    const { service } = stage;
    await service.isReady();
    const upload = () => service.get('/upload/notes.txt', { method: 'PUT', body: 'text' });
    const readiness = async () => {
      const response = await service.get('/readyz');
      return { status: response.status, body: await response.json() };
    };
    const sendFile = (fileName: string) =>
      stage.telegram.control.sendFile(stage.chatId, {
        ...{ kind: 'document', mimeType: 'application/zip', fileName, bytes: Buffer.from('text') },
      });
    stage.provider.behave(answerHello({ pieces: ['Hello.'] }));
    stage.writes('Hi');
    await stage.says('Hello.');
    expect((await upload()).status).toBe(200);

    // Too little for uploads, enough for conversations.
    await disk.fill(50 * MIB);
    const refused = await upload();
    expect([refused.status, await refused.json()]).toEqual([
      507,
      { ok: false, error: { code: 'insufficient_storage', message: expect.stringMatching(/disk/) } },
    ]);
    sendFile('archive.zip');
    await stage.says('The disk of this bot is full');
    expect((await readiness()).status).toBe(200);
    stage.provider.behave(answerHello({ pieces: ['Still here.'] }));
    stage.writes('And now?');
    await stage.says('Still here.');

    // Too little for any write.
    await disk.fill(10 * MIB);
    expect(await readiness()).toEqual({
      status: 503,
      body: {
        status: 'not ready',
        checks: { database: false, updates: false, bot: true },
        reason: 'the disk is full',
        version: expect.any(String),
      },
    });
    expect((await service.get('/healthz')).status).toBe(200);
    expect((await upload()).status).toBe(507);
    stage.provider.behave(answerHello({ pieces: ['Back again.'] }));
    stage.writes('Sent while the disk was full');
    await service.prints(/updates could not be saved; Telegram will send them again/);

    await disk.empty();
    await eventually(async () => (await readiness()).status === 200 || undefined);
    await stage.says('Back again.');
    expect((await upload()).status).toBe(200);
    expect(service.output()).not.toContain('[object Object]');
    const { code } = await service.stop();
    expect(code).toBe(0);
  });

  test(
    'that ends the embedded database blocks no caller, and committed data is there afterwards',
    EXHAUSTIVE,
    async () => {
      const disk = await mountDisk(200);
      await copyEmbeddedTemplate(join(disk.path, 'postgres'));
      const { stdout } = await promisify(execFile)(process.execPath, [DYING_DATABASE, disk.path], {
        timeout: 100_000,
        killSignal: 'SIGKILL',
      });
      expect(JSON.parse(stdout)).toEqual({ transaction: 'failed', after: 'failed', lost: 1 });
      await rm(join(disk.path, 'ballast'));
      const { db, close } = await openDatabase({ kind: 'embedded', directory: join(disk.path, 'postgres') });
      expect(await db.execute(sql`select word from words`)).toMatchObject({ rows: [{ word: 'committed' }] });
      await close();
    },
  );
});

/**
 * Mounts a tmpfs. Returns undefined without the permission to mount, which requires root and a container that allows
 * it.
 */
async function mountSmallDisk(sizeMib: number): Promise<SmallDisk | undefined> {
  const path = await mkdtemp(join(tmpdir(), 'switchboard-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m,mode=700`, 'switchboard-test', path], {
      stdio: 'ignore',
    });
  } catch {
    await rm(path, { recursive: true });
    return undefined;
  }
  const ballast = join(path, 'ballast');
  const empty = () => rm(ballast, { force: true });
  return {
    path,
    async fill(leftBytes) {
      await empty();
      const { bavail, bsize } = await statfs(path);
      const file = await open(ballast, 'wx');
      try {
        const chunk = Buffer.alloc(MIB);
        for (let bytes = bavail * bsize - leftBytes; bytes > 0; bytes -= MIB)
          await file.write(chunk, 0, Math.min(bytes, MIB));
      } finally {
        await file.close();
      }
    },
    empty,
    async remove() {
      execFileSync('umount', ['--lazy', path]);
      await rm(path, { recursive: true });
    },
  };
}
