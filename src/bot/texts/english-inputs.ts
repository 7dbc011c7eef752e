/** Texts about messages that are not only text, in English. */
export const englishInputs = {
  summarise:
    'Summarise the message above: in one sentence what it is about, then its main points as a short list, with names, numbers and dates where they matter. Add nothing of your own.',
  askModel: (model: string) => `Ask ${model}`,
  pageQuestion: (url: string) => `What does this page say? ${url}`,
  manyLinks: (opened: number, count: number) =>
    `I open up to ${opened} links at a time and skipped ${count - opened}. Ask me about those separately.`,
  answeredWithout: 'I’ll answer as well as I can without it.',
  cut: (name: string, percent: number, model: string) =>
    `${name} is long: ${model} reads the first ${percent}% of it. A model with a longer memory can read more: /model`,
  documentTooLarge: (name: string, limitMb: number) =>
    `${name} is too large to read (the limit is ${limitMb} MB). Reply to it with /save to store it.`,
  unheard: {
    silent: 'I could not hear any words in this recording. Try it closer to the microphone, or write to me.',
    'too-large': 'This recording is too large to listen to. A shorter one works.',
    failed: 'I could not listen to this recording right now. Try again in a moment, or write to me.',
    unavailable: 'I could not load the recording from Telegram. Please try again.',
  },
  unreadable: {
    encrypted: (name: string) => `${name} is locked with a password. Please send it without one.`,
    scanned: (name: string) =>
      `${name} contains scanned pages without text. Send the important pages as photos, and a model that can see reads them.`,
    empty: (name: string) => `There is no text in ${name}.`,
    damaged: (name: string) => `I can't read ${name}: it may be damaged or have the wrong file type.`,
    'too-large': (name: string) => `${name} is too large to read. A part of it in a file of its own may work.`,
    'too-slow': (name: string) => `Reading ${name} took too long. A part of it in a file of its own may work.`,
    'too-complex': (name: string) =>
      `${name} could not be read: it is too complex for me. Try it as a PDF or as plain text.`,
    busy: (name: string) => `Too many documents are being read right now, and ${name} had to wait. Please try again.`,
    page: (name: string) => `I could not open ${name}: it may be offline, too large, or not public.`,
    unavailable: (name: string) => `I could not load ${name} from Telegram. Please try again.`,
    lost: (name: string) => `I can't get at ${name} right now. /files shows whether it is still there.`,
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
