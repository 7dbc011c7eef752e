import { pluralOf } from '../../../texts/plural.ts';
import { russianWait } from '../../../texts/russian-units.ts';
import type { english } from './english.ts';

const users = (count: number) =>
  pluralOf('ru', count, { one: 'человек', few: 'человека', many: 'человек', other: 'человека' });

export const russian: typeof english = {
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
  lastWord: (count) => `Рассылка завершена: объявление получили ${users(count)}.`,
};
