import { expect, test } from 'vitest';
import { createBot, type SwitchboardBot } from '../../src/bot/bot.ts';
import { createUsageRecorder } from '../../src/core/accounts/index.ts';
import { toMonth, toMonthBefore } from '../../src/core/administration/index.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { createUsageEntry } from '../support/samples/usage-entry.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const CHECK_EVERY_MS = 5 * 60_000;
const senderClock = createFakeClock(Date.now());
/** Sends the summaries. It has a clock of its own, which passes over the time between two checks. */
let sender: SwitchboardBot;
const harness = startBeforeAll(() =>
  createBotHarness({
    change: (given) => {
      sender = createBot({ ...given, clock: senderClock });
      return given;
    },
  }),
);

const thisMonth = toMonth(Date.now());
const lastMonth = toMonthBefore(thisMonth);
const nameOf = (month: string, language = 'en') =>
  new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' }).format(new Date(`${month}-01`));

/** Records usage on the second day of a month. */
async function record(userId: number, month: string, entry: { model: string; costUsd: number | undefined }) {
  const clock = createFakeClock(Date.parse(`${month}-02T12:00:00Z`));
  const recorder = createUsageRecorder({ db: harness.db, clock, logger: createLogger({ level: 'silent' }) });
  recorder.record(createUsageEntry(userId, entry));
  await recorder.close();
}

const messages = (chatId: number) => harness.telegram.transcript(chatId).map(({ message }) => message);

test('/stats month shows the month so far, and the months before', async () => {
  const chief = harness.operator('Chief');
  const { id } = await harness.accounts.ensureTelegramUser(chief.id);
  await record(id, thisMonth, { model: 'clever', costUsd: 1.5 });
  await record(id, lastMonth, { model: 'clever', costUsd: 3 });
  await record(id, lastMonth, { model: 'basic', costUsd: undefined });
  await record(id, toMonthBefore(lastMonth), { model: 'basic', costUsd: 2 });
  chief.writes('/stats month');
  const { message } = await harness.sees(chief.chatId, / so far$/m);
  expect(message.photo).toBeDefined();
  expect(message.caption?.split('\n')).toEqual([
    `${nameOf(thisMonth)} ${thisMonth.slice(0, 4)} so far`,
    '',
    'Cost: $1.50',
    'Requests: 1 of 1 user',
    'Tokens: 3, images: 0',
    '',
    `${nameOf(lastMonth)} ${lastMonth.slice(0, 4)}: 2 requests, $3.00 + 1 request without a known price`,
    '',
    'Top models:',
    'clever: 1 request, $1.50',
    '',
    'Top users:',
    `User ${id}: 1 request, $1.50`,
  ]);
  await chief.presses(`‹ ${nameOf(lastMonth)} ${lastMonth.slice(0, 4)}`);
  const before = await harness.sees(chief.chatId, /^Change of cost: \+50%$/m);
  expect(before.message.caption).toContain('\nbasic: 1 request, price unknown\n');
});

test('is for admins only', async () => {
  const ann = harness.user('Ann');
  ann.writes('/stats month');
  await harness.hasHandledAll();
  expect(JSON.stringify(messages(ann.chatId))).not.toContain('so far');
});

test('admins who have asked for it get the summary of the last month once, also after downtime', async () => {
  const [chief, deputy] = [harness.operator('Boss'), harness.operator('Deputy')];
  const { id } = await harness.accounts.ensureTelegramUser(chief.id);
  await harness.accounts.ensureTelegramUser(deputy.id);
  await record(id, lastMonth, { model: 'clever', costUsd: 3 });
  chief.writes('/stats month');
  await harness.sees(chief.chatId, / so far$/m);
  await chief.presses('Send me this on the 1st of each month');
  const settings = async () => (await harness.accounts.findUser(id))?.settings.monthlySummary;
  await expect.poll(settings).toEqual({ sentMonth: lastMonth, language: 'en' });

  const ending = new AbortController();
  const startProcess = () => sender.sendMonthlySummaries(ending.signal);
  const summaries = (chatId: number) =>
    messages(chatId).filter(({ caption = '' }) => caption.startsWith(`${nameOf(lastMonth, 'ru')}`.slice(1), 1));
  const processes = [startProcess()];
  /** Each process waits for its next check. */
  const haveChecked = () => expect.poll(() => senderClock.pending).toBe(processes.length);
  const checkAgain = async () => {
    await senderClock.advance(CHECK_EVERY_MS);
    await haveChecked();
  };
  await haveChecked();
  await checkAgain();
  expect(summaries(chief.chatId)).toEqual([]);

  // No process was running on the first of this month.
  await harness.accounts.updateSettings(id, {
    monthlySummary: { sentMonth: toMonthBefore(lastMonth), language: 'ru' },
  });
  processes.push(startProcess(), startProcess());
  await haveChecked();
  expect(summaries(chief.chatId)).toHaveLength(1);
  await checkAgain();
  expect(summaries(chief.chatId)).toHaveLength(1);
  expect(summaries(deputy.chatId)).toEqual([]);
  expect(await settings()).toEqual({ sentMonth: lastMonth, language: 'ru' });
  await chief.presses('Больше не присылать');
  await expect.poll(settings).toBeUndefined();
  ending.abort();
  await Promise.all(processes);
});
