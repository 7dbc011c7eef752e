import type { englishTools } from './english-tools.ts';

/** Texts about tools in use, in Russian. */
export const russianTools: typeof englishTools = {
  activities: {
    calculating: '🧮 Считаю',
    'looking-at-clock': '🕐 Смотрю на часы',
    reading: '📄 Читаю',
    searching: '🔎 Ищу',
  },
  using: (tool) => `🔧 Пользуюсь ${tool}`,
  about: (work, subject) => `${work}: ${subject}`,
  permission: {
    open: (host) => `Модель хочет открыть страницу на ${host}:`,
    use: (tool) => `Модель хочет воспользоваться ${tool} с такими данными:`,
    whyOpen:
      'Этого адреса нет ни в ваших словах, ни в чужих текстах этого разговора, поэтому в нём могут быть слова из разговора, которые попадут на этот сайт. «Всегда» относится к этому сайту.',
    whyUse:
      'В этом разговоре есть чужой текст (файл, страница, слова других людей): он мог подтолкнуть модель к этому.',
    once: 'Один раз',
    always: 'Всегда в этом разговоре',
    no: 'Нет',
  },
};
