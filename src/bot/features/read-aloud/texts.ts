import { defineTexts } from '../../../texts/define-texts.ts';
import { pluralOf } from '../../../texts/plural.ts';

export const texts = defineTexts({
  en: {
    stopped: (count: number) => pluralOf('en', count, { one: 'voice message', other: 'voice messages' }),
    /** Spoken instead of content that can't be read aloud. */
    signs: { code: 'Here is some code.', table: 'Here is a table.', link: 'a link' },
    /** Spoken at the end of a text that is too long. */
    rest: 'The rest is in the text.',
    demonstration: 'This is a demo: no text-to-speech model is connected, so you hear a tone for each word.',
    begun: 'One moment, I’m recording it…',
    atIt: 'I’m already recording it. One moment.',
    nothing: 'There is nothing to read aloud here.',
    unavailable: 'There is no text-to-speech model any more.',
    failed: 'I could not read this aloud right now. Try again in a moment.',
    forbidden:
      'Telegram rejected my voice message: your privacy settings don’t allow voice messages from me. Change that in Telegram (Privacy, Voice Messages) and try again.',
  },
  ru: {
    stopped: (count) =>
      pluralOf('ru', count, { one: 'голосовое сообщение', few: 'голосовых сообщения', other: 'голосовых сообщений' }),
    signs: { code: 'Здесь фрагмент кода.', table: 'Здесь таблица.', link: 'ссылка' },
    rest: 'Остальное — в тексте.',
    demonstration: 'Это демонстрация: модель синтеза речи не подключена, поэтому на каждое слово звучит тон.',
    begun: 'Минутку, записываю…',
    atIt: 'Уже записываю. Минутку.',
    nothing: 'Здесь нечего читать вслух.',
    unavailable: 'Модель синтеза речи больше не подключена.',
    failed: 'Сейчас не получилось прочитать вслух. Попробуйте чуть позже.',
    forbidden:
      'Telegram не принял голосовое сообщение: ваши настройки приватности его не пропускают. Измените их в Telegram («Конфиденциальность», «Голосовые сообщения») и попробуйте ещё раз.',
  },
});
