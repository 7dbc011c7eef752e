import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { readServiceState } from '../../../src/app/http/read-service-state.ts';
import { createDiskSpaceReader } from '../../../src/lib/files/disk-space.ts';

const bot = {
  countWaiting: async () => ({ updates: 3, chatQueues: 2 }),
  countBusyChats: () => 1,
  countJobs: () => ({ answer: 1 }),
  client: { load: { waiting: 4, chats: 9 } },
} as unknown as Parameters<typeof readServiceState>[2];

test('the state of the service names the version of the package and the space of the disk', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  const readSpace = createDiskSpaceReader(tmpdir());
  expect(await readServiceState({ readSpace }, { kind: 'embedded', directory: tmpdir() }, undefined)).toEqual({
    version: expect.stringMatching(new RegExp(`^${version}(\\+[0-9a-f]{7,})?$`)),
    database: 'embedded',
    disk: { freeBytes: expect.any(Number), totalBytes: expect.any(Number) },
    bot: undefined,
  });
  const away = createDiskSpaceReader('/nowhere/at/all');
  expect(await readServiceState({ readSpace: away }, { kind: 'postgres', url: 'postgres://host' }, bot)).toMatchObject({
    database: 'server',
    disk: undefined,
    bot: { updates: 3, chatQueues: 2, busyChats: 1, jobs: { answer: 1 }, telegramCalls: 4 },
  });
});
