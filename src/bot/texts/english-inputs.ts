/** Texts about messages that are not only text, in English. */
export const englishInputs = {
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
    'too-complex': (name: string) => `${name} is too complex for me to read. Try sending it as a PDF or as plain text.`,
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
};
