import { defineTexts } from '../../../texts/define-texts.ts';
import { pluralOf } from '../../../texts/plural.ts';
import { englishWait, russianWait } from '../../../texts/units.ts';

const englishUsers = (count: number) => pluralOf('en', count, { one: 'user', other: 'users' });
const russianUsers = (count: number) =>
  pluralOf('ru', count, { one: 'человек', few: 'человека', many: 'человек', other: 'человека' });

export const texts = defineTexts({
  en: {
    command: 'A message to all users',
    ask: 'What should I announce? Send me the message exactly as everyone should get it: a text, a photo, anything.',
    noUsers: 'There are no users to send an announcement to yet.',
    refused: 'Telegram does not let me copy this kind of message. Send it as a text, a photo or a file.',
    confirm: (count: number) => `This is how it looks. Send it to ${englishUsers(count)}?`,
    send: (ms: number) => `Send (${englishWait(ms)})`,
    sendSlowly: (ms: number) => `Send slowly (${englishWait(ms)})`,
    dropped: 'Not sent.',
    busy: 'Another announcement is still being sent. Cancel it or wait until it is finished, and press again.',
    tooLate: 'It is too late for that.',
    pause: 'Pause',
    resume: 'Resume',
    states: {
      sending: 'The announcement is being sent.',
      paused: 'The announcement is paused.',
      cancelled: 'The announcement is cancelled.',
      gone: 'The message above was deleted, so there is nothing left to send.',
      done: 'The announcement is sent.',
    },
    sent: (count: number) => `Sent: ${count}`,
    blocked: (count: number) => `Blocked the bot: ${count}`,
    failed: (count: number) => `Telegram refused: ${count}`,
    unclear: (count: number) => `Delivery unknown: ${count} (not sent again)`,
    leftOut: (count: number) => `No longer have access: ${count}`,
    left: (count: number) => `Remaining: ${count}`,
    missed: (count: number) => `Did not get it: ${count}`,
    outlook: (ms: number) => `Done in about ${englishWait(ms)}`,
    lastWord: (count: number) => `Announcement finished: ${englishUsers(count)} received it.`,
  },
  ru: {
    command: 'Сообщение всем пользователям',
    ask: 'Что объявить? Пришлите сообщение таким, каким его должны получить все: текст, фото, что угодно.',
    noUsers: 'Пока некому получить объявление.',
    refused: 'Такое сообщение Telegram не даёт скопировать. Пришлите текст, фото или файл.',
    confirm: (count) => `Вот как это выглядит. Получателей: ${count}. Отправить?`,
    send: (ms) => `Отправить (за ${russianWait(ms)})`,
    sendSlowly: (ms) => `Отправить медленно (за ${russianWait(ms)})`,
    dropped: 'Не отправлено.',
    busy: 'Другое объявление ещё рассылается. Отмените его или дождитесь конца и нажмите ещё раз.',
    tooLate: 'Для этого уже поздно.',
    pause: 'Пауза',
    resume: 'Продолжить',
    states: {
      sending: 'Объявление рассылается.',
      paused: 'Рассылка приостановлена.',
      cancelled: 'Рассылка отменена.',
      gone: 'Сообщение выше удалено, и рассылать больше нечего.',
      done: 'Объявление разослано.',
    },
    sent: (count) => `Отправлено: ${count}`,
    blocked: (count) => `Заблокировали бота: ${count}`,
    failed: (count) => `Telegram отказал: ${count}`,
    unclear: (count) => `Неизвестно, дошло ли: ${count} (повторно не отправляется)`,
    leftOut: (count) => `Больше не имеют доступа: ${count}`,
    left: (count) => `Осталось: ${count}`,
    missed: (count) => `Не получили: ${count}`,
    outlook: (ms) => `Закончу примерно через ${russianWait(ms)}`,
    lastWord: (count) => `Рассылка завершена: объявление получили ${russianUsers(count)}.`,
  },
});
