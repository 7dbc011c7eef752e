import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  BlobMissingError,
  BlobRefusedError,
  createDiskBlobStore,
  createMemoryBlobStore,
} from '../../src/core/storage/index.ts';
import { startChannelHarness } from '../support/harness/storage.ts';
import { describeBlobStore, describeExactBlobStore } from './blob-store-contract.ts';

const createMemory = async () => ({ store: createMemoryBlobStore(), close: async () => {} });
const createDisk = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-blobs-'));
  const close = () => rm(directory, { recursive: true, force: true });
  return { store: createDiskBlobStore({ directory: join(directory, 'blobs') }), close, directory };
};
const { signal } = new AbortController();

describeBlobStore('memory', createMemory);
describeExactBlobStore('memory', createMemory);
describeBlobStore('disk', createDisk);
describeExactBlobStore('disk', createDisk);

it('disk store refuses names outside its folder and blobs that are too large', async () => {
  const { store, close, directory } = await createDisk();
  const bytes = Buffer.from('x');
  for (const name of ['../escape-attempt', 'a/b/c/d/e/f/g', '.', '', '..%2f..%2fetc', 'nul\u0000nul\u0000nul']) {
    await expect(store.put({ name, bytes }, signal)).rejects.toBeInstanceOf(BlobRefusedError);
    await expect(store.open({ name }, { offset: 0, length: 1 }, signal)).rejects.toBeInstanceOf(BlobMissingError);
    await expect(store.delete({ name }, signal)).rejects.toBeInstanceOf(BlobRefusedError);
  }
  const large = Buffer.alloc(store.maxBytes + 1);
  await expect(store.put({ name: 'large-enough', bytes: large }, signal)).rejects.toBeInstanceOf(BlobRefusedError);
  expect(await readdir(directory)).toEqual([]);
  await close();
});

it('disk store removes a partly written blob by its name', async () => {
  const { store, close, directory } = await createDisk();
  const name = 'half-written-blob';
  await store.put({ name: 'half-neighbour', bytes: Buffer.from('x') }, signal);
  const folder = join(directory, 'blobs', 'ha');
  await writeFile(join(folder, `${name}.part`), 'half of');
  await store.deleteByName?.(name, signal);
  expect(await readdir(folder)).toEqual(['half-neighbour']);
  await close();
});

it('disk store reports a blob as missing when its file has become shorter', async () => {
  const { store, close, directory } = await createDisk();
  const locator = await store.put({ name: 'cut-short', bytes: Buffer.from('0123456789') }, signal);
  await writeFile(join(directory, 'blobs', 'cu', 'cut-short'), '01234');
  await expect(store.open(locator, { offset: 0, length: 10 }, signal)).rejects.toBeInstanceOf(BlobMissingError);
  await close();
});

it('disk store leaves no file open when the reader stops while a blob is being opened', async () => {
  const { store, close } = await createDisk();
  const locator = await store.put({ name: 'left-alone', bytes: Buffer.from('0123456789') }, signal);
  const leaving = new AbortController();
  const opening = store.open(locator, { offset: 0, length: 10 }, leaving.signal);
  leaving.abort(new Error('gone'));
  await expect(opening).rejects.toThrow('gone');
  await close();
});

describeBlobStore('Telegram store', async () => {
  const { store, close } = await startChannelHarness({ channelCount: 2, limits: 'telegram' });
  return { store, close };
});
