import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';

const PROGRAM = new URL('../src/main.ts', import.meta.url).pathname;

describe('the command', () => {
  let child: ChildProcess | undefined;
  afterEach(() => child?.kill('SIGKILL'));

  const run = (...args: string[]) => {
    const started = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    return started;
  };

  it('prints the addresses of the Bot API, the page and the control API, and ends with a signal', async () => {
    const started = run('--port', '0', '--token', '42:secret', '--username', 'echo_bot');
    let output = '';
    for await (const chunk of started.stdout) {
      output += chunk;
      if (output.includes('Control API')) break;
    }
    const [, url] = /Bot API +(\S+)/.exec(output) ?? [];
    expect(output).toContain('42:secret   (@echo_bot)');
    expect(await (await fetch(`${url}/bot42:secret/getMe`)).json()).toMatchObject({
      result: { id: 42, username: 'echo_bot' },
    });
    const [, page] = /Page +(\S+)/.exec(output) ?? [];
    expect((await fetch(page ?? '')).headers.get('content-type')).toContain('text/html');
    const [, control] = /Control API +(\S+)/.exec(output) ?? [];
    const state = await (await fetch(`${control}state`)).json();
    expect(state).toMatchObject({ people: [{ firstName: 'Ann' }, { firstName: 'Ben' }] });
    started.kill('SIGTERM');
    expect(await once(started, 'exit')).toEqual([0, null]);
  });

  it.each([
    [['--port', 'eighty'], '--port eighty is not a port number'],
    [['--limits', 'none'], '--limits is either telegram or off'],
    [['--bot-api-version', '9.0'], '--bot-api-version is either 10.0 or 10.1'],
    [['--token', 'secret'], 'a bot token looks like <number>:<secret>'],
    [['--colour'], "Unknown option '--colour'"],
  ])('refuses %j', async (args, message) => {
    const started = run(...args);
    const [errors, [code]] = await Promise.all([text(started.stderr), once(started, 'exit')]);
    expect(errors).toContain(message);
    expect(code).toBe(1);
  });

  it('explains its options', async () => {
    const started = run('--help');
    expect(await text(started.stdout)).toContain('--token <id>:<secret>');
  });
});
