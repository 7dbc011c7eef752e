import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileBlockedError } from '../../src/core/storage/index.ts';
import { type BotPlay, createBotPlay } from '../support/bot-play.ts';
import { keepFile } from '../support/keep-file.ts';

let play: BotPlay;
beforeEach(async () => {
  play = await createBotPlay();
});
afterEach(() => play.close());

const QUESTION = /^Take note\.txt down\?/;

test('/takedown deletes a file and its copies, and blocks the content', async () => {
  const [ann, bob, chief] = [play.person('Ann'), play.person('Bob'), play.operator('Chief')];
  const bytes = Buffer.from('something that must go');
  const file = await keepFile(play, ann, { bytes });
  const copy = await keepFile(play, bob, { bytes });
  const other = await keepFile(play, bob, { bytes: Buffer.from('something that may stay') });
  chief.writes(`/takedown https://files.example.org/file/${file.id}/note.txt a letter from a lawyer`);
  await play.sees(chief.chatId, QUESTION);
  expect(await play.storage.find(file.id)).toBeDefined();
  await chief.presses('Take down');
  await play.sees(chief.chatId, '2 files taken down. This content is blocked from now on.');
  expect(await play.storage.find(file.id)).toBeUndefined();
  expect(await play.storage.find(copy.id)).toBeUndefined();
  expect(await play.storage.find(other.id)).toBeDefined();
  await expect(keepFile(play, ann, { bytes })).rejects.toBeInstanceOf(FileBlockedError);
});

test('/takedown can be cancelled, and rejects links without a file', async () => {
  const [ann, chief] = [play.person('Ann'), play.operator('Chief')];
  const file = await keepFile(play, ann);
  chief.writes('/takedown');
  await play.sees(chief.chatId, /Send its link or id after \/takedown/);
  chief.writes('/takedown AAAAAAAAAAAAAAAAAAAAAA');
  await play.sees(chief.chatId, /There is no such file/);
  chief.writes(`/takedown ${file.id}`);
  await play.sees(chief.chatId, QUESTION);
  await chief.presses('Cancel');
  expect(await play.storage.find(file.id)).toBeDefined();
});

test('/takedown is unknown to users', async () => {
  const ann = play.person('Ann');
  const file = await keepFile(play, ann);
  ann.writes(`/takedown ${file.id}`);
  await play.sees(ann.chatId, /I don't know \/takedown/);
  expect(await play.storage.find(file.id)).toBeDefined();
});
