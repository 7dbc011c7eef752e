import type { englishTools } from './english-tools.ts';

/** Texts about tools in use, in Russian. */
export const russianTools: typeof englishTools = {
  activities: {
    calculating: '🧮 Считаю',
    'looking-at-clock': '🕐 Проверяю время',
    reading: '📄 Читаю',
    searching: '🔎 Ищу',
    remembering: '🧠 Обновляю память',
  },
  using: (tool) => `🔧 Использую ${tool}`,
  about: (work, subject) => `${work}: ${subject}`,
  permission: {
    open: (host) => `Модель хочет открыть страницу на ${host}:`,
    use: (tool) => `Модель хочет использовать ${tool} с такими данными:`,
    useAlone: (tool) => `Модель хочет использовать ${tool}.`,
    search: 'Искать это в интернете?',
    whyOpen:
      'Этого адреса нет ни в одном сообщении здесь, поэтому с ним на сайт могут попасть части этого разговора. «Всегда» относится только к этому сайту.',
    whyUse:
      'В этом разговоре есть чужой текст (файл, страница, сообщения других людей), который мог подтолкнуть модель к этому.',
    once: 'Разрешить один раз',
    always: 'Всегда в этом разговоре',
    no: 'Не разрешать',
    yesOrNo: (value) => (value ? 'да' : 'нет'),
    nothing: 'ничего',
  },
};
