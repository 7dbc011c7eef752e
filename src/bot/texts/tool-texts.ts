import { defineTexts } from '../../texts/define-texts.ts';

/** Texts about tools in use. */
export const toolTexts = defineTexts({
  en: {
    /** Status lines below the answer so far. */
    activities: {
      calculating: '🧮 Calculating',
      'looking-at-clock': '🕐 Checking the time',
      reading: '📄 Reading',
      searching: '🔎 Searching',
      remembering: '🧠 Updating memory',
    },
    using: (tool: string) => `🔧 Using ${tool}`,
    about: (work: string, subject: string) => `${work}: ${subject}`,
    /** Asked before a model may act after it has read text of others. */
    permission: {
      open: (host: string) => `The model wants to open a page on ${host}:`,
      use: (tool: string) => `The model wants to use ${tool} with:`,
      useAlone: (tool: string) => `The model wants to use ${tool}.`,
      search: 'Search the web for this?',
      whyOpen:
        'This address does not appear in any message here, so opening it may pass parts of this conversation on to that site. “Always” applies to this site only.',
      whyUse:
        'This conversation contains text from elsewhere (a file, a web page, other users) that may have prompted the model to do this.',
      once: 'Allow once',
      always: 'Always in this conversation',
      no: 'Don’t allow',
      yesOrNo: (value: boolean): string => (value ? 'yes' : 'no'),
      nothing: 'nothing',
    },
  },
  ru: {
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
  },
});
