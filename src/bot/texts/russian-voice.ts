import type { englishVoice } from './english-voice.ts';

/** The bot's own words about answers that are read aloud, in Russian. */
export const russianVoice: typeof englishVoice = {
  signs: { code: 'Здесь фрагмент кода.', table: 'Здесь таблица.', link: 'ссылка' },
  rest: 'Остальное — в тексте.',
  demonstration: 'Это демонстрация: говорящая модель не подключена, поэтому на каждое слово звучит тон.',
  begun: 'Минутку, читаю вслух…',
  atIt: 'Уже читаю вслух. Минутку.',
  nothing: 'Здесь нечего читать вслух.',
  unavailable: 'Говорящая модель больше не подключена.',
  failed: 'Сейчас не получилось прочитать вслух. Попробуйте чуть позже.',
  forbidden:
    'Telegram не принял голосовое сообщение: ваши настройки приватности его не пропускают. Измените их в Telegram («Конфиденциальность», «Голосовые сообщения») и попробуйте ещё раз.',
};
