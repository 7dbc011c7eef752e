import type { englishTools } from './english-tools.ts';

/** What people see while a model uses tools, in Russian. */
export const russianTools: typeof englishTools = {
  activities: {
    calculating: '🧮 Считаю',
    'looking-at-clock': '🕐 Смотрю на часы',
    reading: '📄 Читаю',
    searching: '🔎 Ищу',
  },
  using: (tool) => `🔧 Пользуюсь ${tool}`,
  about: (work, subject) => `${work}: ${subject}`,
  on: 'Инструменты: включены',
  off: 'Инструменты: выключены',
  turnOn: 'Включить инструменты',
  turnOff: 'Выключить инструменты',
};
