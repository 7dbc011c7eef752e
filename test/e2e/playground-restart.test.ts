import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  createWorkFolder,
  eventually,
  openPlaygroundChat,
  type RunningService,
  startService,
} from '../support/harness/process.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

async function startAgain(folder: string): Promise<RunningService> {
  const service = await startService(folder);
  onTestFinished(async () => void (await service.kill()));
  await service.isReady();
  return service;
}

/** Writes to the bot. @returns the text of its complete answer. */
async function ask(service: RunningService, text: string): Promise<string> {
  const person = await openPlaygroundChat(service);
  onTestFinished(() => person.leaves());
  const { message } = await person.writes(text);
  return eventually(async () => {
    const answer = (await person.messages()).at(-1)?.message;
    if (!answer?.from?.is_bot || answer.message_id <= message.message_id) return undefined;
    return answer.text ?? answer.caption;
  });
}

test('chats of the playground survive a stop, kill -9 and a damaged file', EXHAUSTIVE, async () => {
  const folder = await createWorkFolder();
  onTestFinished(() => folder.remove());
  const file = join(folder.path, 'data', 'playground', 'world.json');

  const first = await startAgain(folder.path);
  const { chat: you } = await openPlaygroundChat(first);
  await ask(first, 'Remember the word lighthouse');
  expect(await ask(first, '/threads')).toContain('Your conversations (1)');
  // The user of the playground is an admin.
  expect(await ask(first, '/stats')).toContain('Requests:');
  await first.stop();
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const second = await startAgain(folder.path);
  const again = await openPlaygroundChat(second);
  onTestFinished(() => again.leaves());
  expect(again.chat).toEqual(you);
  const texts = (await again.messages()).map(({ message }) => message.text);
  expect(texts).toContain('Remember the word lighthouse');
  expect(await ask(second, '/threads')).toContain('Your conversations (1)');
  await eventually(async () => (await readFile(file, 'utf8')).split('/threads').length > 2 || undefined);
  await second.kill();

  const third = await startAgain(folder.path);
  expect(await ask(third, '/threads')).toContain('Your conversations (1)');
  await third.stop();

  await writeFile(file, '{"version":1,"bots":[');
  const fourth = await startAgain(folder.path);
  expect(fourth.output()).toContain('the file was set aside');
  expect((await openPlaygroundChat(fourth)).chat.id).not.toBe(you.id);
  expect(await readFile(`${file}.damaged`, 'utf8')).toBe('{"version":1,"bots":[');
});
