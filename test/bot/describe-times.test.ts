import { expect, test } from 'vitest';
import { describeTimes } from '../../src/texts/describe-times.ts';

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
  ['FREQ=MONTHLY;BYDAY=MO', 'Every month, on Mon at 9:00 AM', 'Каждый месяц, дни недели: пн в 9:00'],
  ['FREQ=DAILY;BYHOUR=21,9;BYMINUTE=0', 'Every day at 9:00 AM, 9:00 PM', 'Каждый день в 9:00, 21:00'],
  ['FREQ=DAILY;BYHOUR=8,9,10,11,12,13;BYMINUTE=0,15,30', 'Every day, 18 times a day', 'Каждый день, 18 раз в день'],
  ['FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24', 'Every year on December 24 at 9:00 AM', 'Каждый год, 24 декабря в 9:00'],
  [
    'FREQ=YEARLY;INTERVAL=2;BYMONTH=2;BYMONTHDAY=29;BYHOUR=12',
    'Every 2 years on February 29 at 12:00 PM',
    'Раз в 2 года, 29 февраля в 12:00',
  ],
  [
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
    'Every month, on Mon, Tue, Wed, Thu, Fri, of these days only: the last at 9:00 AM',
    'Каждый месяц, дни недели: пн, вт, ср, чт, пт, из этих дней только: последний в 9:00',
  ],
  [
    'FREQ=HOURLY;INTERVAL=2;BYDAY=MO;BYHOUR=9,11',
    'Every 2 hours, on Mon, in hour 9, 11',
    'Раз в 2 часа, дни недели: пн, часы: 9, 11',
  ],
  [
    'FREQ=YEARLY;BYMONTH=3,9;BYDAY=1SU',
    'Every year, in March, September, on Sun no. 1 at 9:00 AM',
    'Каждый год, месяцы: март, сентябрь, дни недели: вс № 1 в 9:00',
  ],
  [
    'FREQ=MONTHLY;BYMONTHDAY=1,-1;UNTIL=20271231',
    'Every month, on day 1, the last at 9:00 AM, until Dec 31, 2027',
    'Каждый месяц, числа: 1, последний в 9:00, до 31 дек. 2027 г.',
  ],
])('%s is described in words', (rule, english, russian) => {
  const times = { kind: 'repeated', rule, startsAt: '2026-12-01T09:00', timeZone: 'Europe/Berlin' } as const;
  expect([describeTimes('en', times), describeTimes('ru', times)]).toEqual([english, russian]);
});
