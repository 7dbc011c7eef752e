import type { english } from './english.ts';

export const russian: typeof english = {
  all: () => 'Все запросы',
  groupBy: 'По чему',
  columns: { model: 'Модель', provider: 'Провайдер', user: 'Пользователь', kind: 'Вид' },
  by: { model: 'По моделям', provider: 'По провайдерам', user: 'По пользователям', kind: 'По видам' },
  user: (id) => `Пользователь ${id}`,
  mostExpensive: (count) => `Показаны ${count} самых дорогих. В файле CSV — все.`,
  failures: 'Неудачные запросы',
  failuresAbout:
    'С запуска этого процесса. Запрос, который не удался у нескольких провайдеров, считается для каждого; ответ мог прийти от другого.',
  noFailures: 'Неудачных запросов нет.',
  noProvider: 'не запрошен',
  failure: 'Ошибка',
  count: 'Число',
  last: 'Последняя',
  outcomes: {
    timeout: 'нет ответа вовремя',
    unavailable: 'недоступен',
    rate_limited: 'слишком много запросов (429)',
    refused_key: 'ключ отклонён (401, 403)',
    no_credit: 'на счёте нет средств (402)',
    rejected: 'запрос отклонён',
    broken_off: 'ответ оборвался',
    unknown_model: 'неизвестная модель',
    over_limit: 'сверх лимита или бюджета',
    queue_full: 'очередь заполнена',
    failure: 'внутренняя ошибка',
  },
};
