import { expect, test } from 'vitest';
import { describeTimes } from '../../src/bot/texts/describe-times.ts';

test.each([
  ['FREQ=DAILY', 'Every day at 9:00 AM', 'Каждый день в 9:00'],
  ['FREQ=WEEKLY;BYDAY=FR', 'Every Fri at 9:00 AM', 'Каждую неделю: пт в 9:00'],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR', 'Every 2 weeks on Mon, Fri at 9:00 AM', 'Раз в 2 недели: пн, пт в 9:00'],
  [
    'FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3',
    'Every month on day 31 at 9:00 AM, 3 times',
    'Каждый месяц, числа: 31 в 9:00, 3 раза',
  ],
  ['FREQ=MONTHLY;BYMONTHDAY=-1', 'Every month on the last day at 9:00 AM', 'Каждый месяц, в последний день в 9:00'],
  ['FREQ=MONTHLY;BYDAY=2TU', 'Every month on the second Tuesday at 9:00 AM', 'Каждый месяц: 2-й вторник в 9:00'],
  ['FREQ=MONTHLY;BYDAY=1SU', 'Every month on the first Sunday at 9:00 AM', 'Каждый месяц: 1-е воскресенье в 9:00'],
  ['FREQ=MONTHLY;BYDAY=-1FR', 'Every month on the last Friday at 9:00 AM', 'Каждый месяц: последняя пятница в 9:00'],
  ['FREQ=MONTHLY;BYDAY=MO', 'By the rule FREQ=MONTHLY;BYDAY=MO', 'По правилу FREQ=MONTHLY;BYDAY=MO'],
])('%s is described in words', (rule, english, russian) => {
  const times = { kind: 'repeated', rule, startsAt: '2026-12-01T09:00', timeZone: 'Europe/Berlin' } as const;
  expect([describeTimes('en', times), describeTimes('ru', times)]).toEqual([english, russian]);
});
