import type { english } from './english.ts';

export const russian: typeof english = {
  about: 'Последние предупреждения и ошибки этого процесса. Весь журнал — в его стандартном выводе.',
  none: 'С запуска не было ни предупреждений, ни ошибок.',
  entries: 'Предупреждения и ошибки',
  time: 'Время',
  level: 'Уровень',
  levels: { warn: 'предупреждение', error: 'ошибка', fatal: 'фатальная ошибка' },
  message: 'Сообщение',
  facts: 'Подробности',
};
