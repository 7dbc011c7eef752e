/** The bot's own words about what people send beside text, in English. */
export const englishInputs = {
  summarise:
    'Summarise the message above: in one sentence what it is about, then its main points as a short list, with names, numbers and dates where they matter. Add nothing of your own.',
  summariseTalk:
    'Summarise what was said in this group of late: the subjects, who said what where it matters, what was decided, and which questions are open. Be short.',
  summariseWhat: 'What shall I summarise? Write /summarise in reply to a message, or with a text behind it.',
  ask: 'Ask about it',
  askModel: (model: string) => `Ask ${model}`,
  askQuestion: (name: string) => `What do you want to know about ${name}?`,
  link: 'I open links only when I am asked to.',
  readPage: 'Read the page',
  pageQuestion: (url: string) => `What does this page say? ${url}`,
  manyLinks: (opened: number, count: number) =>
    `I open ${opened} links at a time and left ${count - opened} out. Ask me about those on their own.`,
  answeredWithout: 'I answer as well as I can without.',
  cut: (name: string, percent: number, model: string) =>
    `${name} is long: ${model} reads the first ${percent}% of it. A model with a longer memory can read more: /model`,
  documentTooLarge: (name: string, limitMb: number) =>
    `${name} is too large to read: I take up to ${limitMb} MB. Reply to it with /save, and I keep it for you.`,
  howToTranscribe:
    'I keep voice messages as files, because no model that listens is connected. To have them answered, set OPENAI_API_KEY or GROQ_API_KEY, or OPENAI_TRANSCRIPTION_MODEL for a server of your own. Only operators see this.',
  unheard: {
    silent: 'I could not hear any words in this recording. Try it closer to the microphone, or write to me.',
    'too-large': 'This recording is too large to listen to. A shorter one works.',
    failed: 'I could not listen to this recording right now. Try again in a moment, or write to me.',
    unavailable: 'I could not load the recording from Telegram. Please try again.',
  },
  unreadable: {
    encrypted: (name: string) => `${name} is locked with a password. Please send it without one.`,
    scanned: (name: string) =>
      `The pages of ${name} are pictures, and there is no text in them. Send the pages that matter as photos, and a model that sees can read them.`,
    empty: (name: string) => `There is no text in ${name}.`,
    damaged: (name: string) => `I can't read ${name}: it may be damaged, or not be what its name says.`,
    'too-large': (name: string) => `${name} is too large to read. A part of it in a file of its own may work.`,
    'too-slow': (name: string) => `Reading ${name} took too long. A part of it in a file of its own may work.`,
    'too-complex': (name: string) =>
      `${name} could not be read: it is too complex for me. Try it as a PDF or as plain text.`,
    busy: (name: string) => `Too many documents are being read right now, and ${name} had to wait. Please try again.`,
    page: (name: string) => `I could not open ${name}: it may be away, too large, or not open to everybody.`,
    unavailable: (name: string) => `I could not load ${name} from Telegram. Please try again.`,
    lost: (name: string) => `I can't get at ${name} right now. /files shows whether it is still there.`,
  },
};
