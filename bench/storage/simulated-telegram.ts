/**
 * Simulated Telegram without limits in a separate process: `node simulated-telegram.ts PORT BOTS`; all bots are in one
 * channel.
 */
import '../gateway/end-with-parent.ts';
import { createSimulator, listenSimulator } from 'telegram-bot-simulator';

/** Command from the parent. */
export interface TelegramOrder {
  /** Duration of each `getFile` from now on. */
  readonly getFileMs: number;
}

/** Message to the parent, sent initially and after each command. */
export interface TelegramReport {
  readonly tokens: readonly string[];
  readonly chatId: number;
}

const KEPT_BYTES = 8 * 1024 ** 3;
const [port = 0, botCount = 1] = process.argv.slice(2).map(Number);

const tokens = Array.from(
  { length: botCount },
  (_, index) => `${7_200_001 + index}:AAtokenOfABotOfTheBenchmark_0123456789`,
);
const simulator = createSimulator({
  bots: tokens.map((token, index) => ({ token, username: `bench_${index}_bot`, firstName: 'Bench' })),
  memory: { fileBytes: KEPT_BYTES },
});
const { control } = simulator;
control.createPerson({ firstName: 'Owner' });
const { id: chatId } = control.createChat({ type: 'channel', title: 'Vault' });
for (const token of tokens.slice(1)) {
  control.changeBot(chatId, { action: 'add' }, Number.parseInt(token, 10));
  control.changeBot(chatId, { action: 'promote' }, Number.parseInt(token, 10));
}
await listenSimulator(simulator, { port });

const report = () => process.send?.({ tokens, chatId } satisfies TelegramReport);
process.on('message', ({ getFileMs }: TelegramOrder) => {
  control.clearFaults();
  if (getFileMs > 0)
    control.injectFault({
      method: 'getFile',
      times: Number.MAX_SAFE_INTEGER,
      kind: { type: 'slow', delayMs: getFileMs },
    });
  report();
});
report();
