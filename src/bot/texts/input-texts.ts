import { defineTexts } from '../../texts/define-texts.ts';

/** Texts about messages that are not only text. */
export const inputTexts = defineTexts({
  en: {
    summarise:
      'Summarise the message above: one sentence on what it is about, then its main points as a short list, with names, numbers and dates where they matter. Add nothing of your own.',
    askModel: (model: string) => `Ask ${model}`,
    pageQuestion: (url: string) => `What does this page say? ${url}`,
    manyLinks: (opened: number, count: number) =>
      `I open up to ${opened} links at a time and skipped ${count - opened}. Ask me about those separately.`,
    answeredWithout: 'I’ll answer as well as I can without it.',
    cut: (name: string, percent: number, model: string) =>
      `${name} is long: ${model} reads the first ${percent}% of it. A model with a larger context window can read more: /model`,
    unseenPages: (name: string, shown: number, pageCount: number) =>
      shown > 0
        ? `${name} has ${pageCount} scanned pages, of which the model sees the first ${shown}. Send the others as a separate file.`
        : `${name} has scanned pages, which the model does not see: there are too many in this question. Ask about it separately.`,
    cannotRead: (names: string, count: number) =>
      `I can’t read ${names}, so I can’t answer your question about ${count === 1 ? 'it' : 'these files'}. I read PDF, Word, Excel, EPUB, web pages, text files and images.`,
    documentTooLarge: (name: string, limitMb: number) =>
      `${name} is too large to read (the limit is ${limitMb} MB). Reply to it with /save to store it.`,
    recordingTooLarge: (limitMb: number) =>
      `This recording is too large: I can listen to files up to ${limitMb} MB. Please send a shorter one, or only the sound of a video.`,
    noTranscript: {
      silent: 'I could not hear any words in this recording. Speak closer to the microphone, or write to me.',
      failed: 'I could not transcribe this recording. Try again in a moment, or write to me.',
      unavailable: 'I could not load the recording from Telegram. Please try again.',
    },
    unreadable: {
      encrypted: (name: string) => `${name} is password-protected. Please send it without a password.`,
      scanned: (name: string) =>
        `${name} contains scanned pages without text, which this model can’t see. Choose one that can see images: /model`,
      empty: (name: string) => `There is no text in ${name}.`,
      damaged: (name: string) => `I can’t read ${name}: it may be damaged or have the wrong file type.`,
      encoding: (name: string) =>
        `I can’t tell the character encoding of ${name}. Please save it as UTF-8 and send it again.`,
      'too-large': (name: string) => `${name} is too large to read. Try sending part of it as a separate file.`,
      'too-slow': (name: string) => `Reading ${name} took too long. Try sending part of it as a separate file.`,
      'too-complex': (name: string) =>
        `${name} is too complex for me to read. Try sending it as a PDF or as plain text.`,
      busy: (name: string) =>
        `I am reading too many documents right now and could not get to ${name}. Please try again in a moment.`,
      page: (name: string) => `I could not open ${name}: it may be offline, too large, or not public.`,
      unavailable: (name: string) => `I could not load ${name} from Telegram. Please try again.`,
      lost: (name: string) => `I can’t access ${name} right now. /files shows whether it still exists.`,
    },
    /** Names for files without one. */
    fileKinds: {
      document: 'file',
      photo: 'photo',
      video: 'video',
      audio: 'audio',
      voice: 'voice',
      animation: 'animation',
      sticker: 'sticker',
      video_note: 'video message',
    },
  },
  ru: {
    summarise:
      'Изложи суть сообщения выше: одним предложением, о чём оно, затем главное коротким списком, с именами, числами и датами там, где они важны. Ничего не добавляй от себя.',
    askModel: (model) => `Спросить ${model}`,
    pageQuestion: (url) => `О чём эта страница? ${url}`,
    manyLinks: (opened, count) =>
      `За раз я открываю не больше ${opened} ссылок, пропущено: ${count - opened}. Спросите о них отдельно.`,
    answeredWithout: 'Постараюсь ответить без этого.',
    cut: (name, percent, model) =>
      `${name} — длинный текст: ${model} читает первые ${percent}%. Модель с большим контекстом прочтёт больше: /model`,
    unseenPages: (name, shown, pageCount) =>
      shown > 0
        ? `В ${name} отсканированные страницы, всего ${pageCount}: модель увидит первые ${shown}. Остальные пришлите отдельным файлом.`
        : `В ${name} отсканированные страницы, и модель их не увидит: в этом вопросе их слишком много. Спросите о нём отдельно.`,
    cannotRead: (names, count) =>
      `Не могу прочитать ${names}, поэтому не отвечу на вопрос об ${count === 1 ? 'этом файле' : 'этих файлах'}. Я читаю PDF, Word, Excel, EPUB, веб-страницы, текстовые файлы и изображения.`,
    documentTooLarge: (name, limitMb) =>
      `${name} — слишком большой файл: читаю до ${limitMb} МБ. Ответьте на него командой /save, и я сохраню его для вас.`,
    recordingTooLarge: (limitMb) =>
      `Эта запись слишком большая: слушаю файлы до ${limitMb} МБ. Пришлите покороче или только звук видео.`,
    noTranscript: {
      silent: 'В этой записи не слышно слов. Попробуйте ближе к микрофону или напишите мне.',
      failed: 'Сейчас не получилось прослушать запись. Попробуйте чуть позже или напишите мне.',
      unavailable: 'Не удалось загрузить запись из Telegram. Попробуйте ещё раз.',
    },
    unreadable: {
      encrypted: (name) => `${name} защищён паролем. Пожалуйста, пришлите файл без пароля.`,
      scanned: (name) =>
        `В ${name} отсканированные страницы без текста, а эта модель не видит изображений. Выберите ту, что видит: /model`,
      empty: (name) => `В ${name} нет текста.`,
      damaged: (name) =>
        `Не получается прочитать ${name}: возможно, файл повреждён или его имя не соответствует содержимому.`,
      encoding: (name) =>
        `Не могу определить кодировку файла ${name}. Пожалуйста, сохраните его в UTF-8 и пришлите ещё раз.`,
      'too-large': (name) => `${name} слишком велик, чтобы его прочитать. Попробуйте прислать часть отдельным файлом.`,
      'too-slow': (name) => `Чтение ${name} заняло слишком много времени. Попробуйте прислать часть отдельным файлом.`,
      'too-complex': (name) =>
        `Не удалось прочитать ${name}: он слишком сложный для меня. Попробуйте прислать его как PDF или простой текст.`,
      busy: (name) => `Сейчас читается слишком много документов, и до ${name} очередь не дошла. Попробуйте ещё раз.`,
      page: (name) => `Не удалось открыть ${name}: страница недоступна, слишком велика или открыта не всем.`,
      unavailable: (name) => `Не удалось загрузить ${name} из Telegram. Попробуйте ещё раз.`,
      lost: (name) => `Сейчас не получается открыть ${name}. В /files видно, на месте ли он.`,
    },
    fileKinds: {
      document: 'файл',
      photo: 'фото',
      video: 'видео',
      audio: 'аудио',
      voice: 'голосовое',
      animation: 'анимация',
      sticker: 'стикер',
      video_note: 'видеосообщение',
    },
  },
});
