import type { english } from './english.ts';

export const russian: typeof english = {
  about: 'Рассылки начинают, приостанавливают и отменяют в чате с ботом.',
  none: 'Рассылок ещё не было.',
  broadcast: (id) => `Рассылка ${id}`,
  states: {
    sending: 'отправляется',
    paused: 'приостановлена',
    cancelled: 'отменена',
    gone: 'сообщение удалено',
    done: 'завершена',
  },
  progress: 'Ход рассылки',
  started: 'Начата',
  startedBy: (time, admin) => `${time}, администратор ${admin}`,
  ended: 'Закончена',
  handled: 'Обработано',
  of: (done, total) => `${done} из ${total}`,
  outcomes: {
    sent: 'Отправлено',
    waiting: 'Ожидают',
    blocked: 'Заблокировали бота',
    failed: 'Не удалось',
    unclear: 'Неизвестно',
    left_out: 'Пропущены',
  },
};
