import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { talk } from '../foreign-bots/conversation.ts';
import { startTestSimulator, type TestSimulator } from './support/simulator.ts';

const BOT = new URL('../foreign-bots/grammy/bot.ts', import.meta.url).pathname;

describe('a grammY bot without knowledge of the simulator', () => {
  let simulator: TestSimulator;
  let bot: ChildProcess;
  afterEach(async () => {
    bot.kill('SIGKILL');
    await simulator.close();
  });

  it('greets, echoes, edits its message when a button is pressed, and copies files', async () => {
    simulator = await startTestSimulator({ limits: 'telegram' });
    const env = { BOT_TOKEN: simulator.token, API_ROOT: simulator.url };
    bot = spawn(process.execPath, [BOT], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    expect(await talk(simulator.url)).toEqual([
      'Ann: /start',
      'bot: Hello, Ann! (bold)',
      'Ann: good morning 😀',
      'bot: good morning 😀 [Shout]',
      'Ann presses Shout',
      'bot edits: GOOD MORNING 😀',
      'Ann: (document) notes.txt',
      'bot: (document) copy of notes.txt, 11 bytes',
    ]);
  });
});
