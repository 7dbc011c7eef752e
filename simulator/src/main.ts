#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createSimulator, type Simulator, type SimulatorOptions } from './create-simulator.ts';
import { listenSimulator } from './listen-simulator.ts';

const USAGE = `Usage: telegram-bot-simulator [options]

  --port <number>            port on 127.0.0.1; 0 takes a free one (default 8081)
  --token <id>:<secret>      token of a bot; again for more bots (default: a new one)
  --username <name>          username of a bot, in the order of the tokens (default my_bot)
  --privacy-mode             groups show bots only commands and replies to them
  --limits <telegram|off>    flood control and upload pacing (default telegram)
  --bot-api-version <10.0|10.1>  plays an older Bot API server (default: the newest)
  --help                     prints this
`;

const OPTIONS = {
  port: { type: 'string', default: '8081' },
  token: { type: 'string', multiple: true },
  username: { type: 'string', multiple: true },
  'privacy-mode': { type: 'boolean', default: false },
  limits: { type: 'string', default: 'telegram' },
  'bot-api-version': { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

interface Command {
  readonly port: number;
  readonly simulator: SimulatorOptions & { readonly bots: NonNullable<SimulatorOptions['bots']> };
}

/** Parses the command line; undefined for `--help`. @throws TypeError */
function readCommand(args: readonly string[]): Command | undefined {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return undefined;
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new TypeError(`--port ${values.port} is not a port number`);
  const { limits, 'bot-api-version': botApiVersion } = values;
  if (limits !== 'telegram' && limits !== 'off') throw new TypeError('--limits is either telegram or off');
  if (botApiVersion !== undefined && botApiVersion !== '10.0' && botApiVersion !== '10.1') {
    throw new TypeError('--bot-api-version is either 10.0 or 10.1');
  }
  const tokens = values.token ?? [`7000001:${randomBytes(26).toString('base64url')}`];
  const bots = tokens.map((token, index) => {
    const username = values.username?.[index] ?? (index === 0 ? 'my_bot' : `my_${index + 1}_bot`);
    return { token, username, firstName: username, privacyMode: values['privacy-mode'] };
  });
  return { port, simulator: { bots, limits, botApiVersion } };
}

/** Creates a private chat and a group, so that the page is not empty. */
function addFirstChats({ control }: Simulator): void {
  const ann = control.createPerson({ firstName: 'Ann' });
  const ben = control.createPerson({ firstName: 'Ben' });
  control.createChat({ type: 'supergroup', title: 'Ann and Ben', memberIds: [ann.id, ben.id] });
  control.createChat({ type: 'private', memberIds: [ann.id] });
}

async function main(): Promise<void> {
  const command = readCommand(process.argv.slice(2));
  if (!command) {
    process.stdout.write(USAGE);
    return;
  }
  const simulator = createSimulator(command.simulator);
  addFirstChats(simulator);
  const { url, close } = await listenSimulator(simulator, { port: command.port });
  const bots = command.simulator.bots.map(({ username, token }) => `  Token        ${token}   (@${username})\n`);
  process.stdout.write(`
  Bot API      ${url}   (instead of https://api.telegram.org)
${bots.join('')}  Page         ${url}/playground/
  Control API  ${url}/playground/control/

`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close());
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
