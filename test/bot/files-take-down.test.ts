import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileBlockedError } from '../../src/core/storage/index.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { keepFile } from '../support/harness/files.ts';

let harness: BotHarness;
beforeEach(async () => {
  harness = await createBotHarness();
});
afterEach(() => harness.close());

const QUESTION = /^Take note\.txt down\?/;

test('/takedown deletes a file and its copies, and blocks the content', async () => {
  const [ann, bob, chief] = [harness.user('Ann'), harness.user('Bob'), harness.operator('Chief')];
  const bytes = Buffer.from('something that must go');
  const file = await keepFile(harness, ann, { bytes });
  const copy = await keepFile(harness, bob, { bytes });
  const other = await keepFile(harness, bob, { bytes: Buffer.from('something that may stay') });
  chief.writes(`/takedown https://files.example.org/file/${file.id}/note.txt a letter from a lawyer`);
  await harness.sees(chief.chatId, QUESTION);
  expect(await harness.storage.find(file.id)).toBeDefined();
  await chief.presses('Take down');
  await harness.sees(chief.chatId, '2 files taken down. This content is blocked from now on.');
  expect(await harness.storage.find(file.id)).toBeUndefined();
  expect(await harness.storage.find(copy.id)).toBeUndefined();
  expect(await harness.storage.find(other.id)).toBeDefined();
  await expect(keepFile(harness, ann, { bytes })).rejects.toBeInstanceOf(FileBlockedError);
});

test('/takedown can be cancelled, and rejects links without a file', async () => {
  const [ann, chief] = [harness.user('Ann'), harness.operator('Chief')];
  const file = await keepFile(harness, ann);
  chief.writes('/takedown');
  await harness.sees(chief.chatId, /Send its link or id after \/takedown/);
  chief.writes('/takedown AAAAAAAAAAAAAAAAAAAAAA');
  await harness.sees(chief.chatId, /There is no such file/);
  chief.writes(`/takedown ${file.id}`);
  await harness.sees(chief.chatId, QUESTION);
  await chief.presses('Cancel');
  expect(await harness.storage.find(file.id)).toBeDefined();
});

test('/takedown is unknown to users', async () => {
  const ann = harness.user('Ann');
  const file = await keepFile(harness, ann);
  ann.writes(`/takedown ${file.id}`);
  await harness.sees(ann.chatId, /I don’t know \/takedown/);
  expect(await harness.storage.find(file.id)).toBeDefined();
});
