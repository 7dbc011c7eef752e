import { pluralOf, waitOf } from './plural.ts';

const messages = (count: number) => pluralOf('en', count, { one: 'message', other: 'messages' });

const wait = (ms: number) =>
  waitOf(ms, {
    seconds: (count) => pluralOf('en', count, { one: 'second', other: 'seconds' }),
    minutes: (count) => pluralOf('en', count, { one: 'minute', other: 'minutes' }),
    hours: (count) => pluralOf('en', count, { one: 'hour', other: 'hours' }),
  });

/** The bot's own words in English: the reference that every other locale has to match key by key. */
export const english = {
  languageName: 'English',
  commands: {
    new: 'Start a new conversation',
    model: 'Choose the model',
    system: 'Tell the model who it should be',
    stop: 'Stop the answer',
    settings: 'Language, model, instructions',
    help: 'What I can do',
  },
  profile: {
    short: 'Chat with AI models: streamed answers, many models, photos, groups.',
    long: 'Write to me and an AI model answers, word by word.\n\nChoose among many models, send photos, branch a conversation by replying to an older answer, or add me to a group and mention me.',
  },
  buttons: {
    stop: 'Stop',
    retry: 'Retry',
    otherModel: 'Other model',
    chooseModel: 'Choose a model',
    search: 'Search',
    allModels: 'All models',
    close: 'Close',
    cancel: 'Cancel',
    back: 'Back',
    language: 'Language',
    model: 'Model',
    systemPrompt: 'Instructions',
    change: 'Change',
    reset: 'Remove',
    asInTelegram: 'As in Telegram',
    newConversation: 'New conversation',
  },
  welcome: (model: string | undefined) =>
    [
      `Hi! Write me a message and ${model ?? 'an AI model'} will answer.`,
      '',
      'You can also send a photo with a question, or reply to an older answer to go on from there.',
      '',
      '/model – choose another model',
      '/new – start over',
      '/help – everything else',
    ].join('\n'),
  welcomeToGroup: (username: string) =>
    `Hi! Mention me (@${username}) or reply to one of my messages, and I answer. Otherwise I keep quiet.`,
  help: (model: string | undefined) =>
    [
      `Write a message, and ${model ?? 'an AI model'} answers. Reply to an older answer to go on from there.`,
      '',
      '/new – new conversation, nothing is remembered',
      '/model – choose the model; /model gpt shows only those with “gpt” in the name',
      '/system – instructions for the model',
      '/stop – stop the answer being written',
      '/settings – language, model, instructions',
      '',
      'I read text and photos. In groups I answer when I am mentioned or replied to.',
    ].join('\n'),
  newConversation: 'New conversation. What came before is not remembered here.',
  unknownCommand: (command: string) => `I don't know ${command}. /help lists what I can do.`,
  unreadable: 'I can read text and photos only. Please send it as one of these.',
  onePhotoOfAlbum: 'I look at one photo at a time and took the first one of your album.',
  emptyQuestion: 'Yes? Write your question in the same message.',
  stopped: 'Stopped.',
  stoppedWithWaiting: (count: number) => `Stopped. ${messages(count)} that waited won't be answered.`,
  nothingToStop: 'There is nothing to stop.',
  stalePress: 'This button is too old. Please use the command again.',
  foreignPress: 'This button belongs to somebody else.',
  foreignStop: 'Only the person who asked can stop this answer.',
  movedOn: 'The conversation has moved on. Please send the question again.',
  apology: 'Something went wrong on my side. Please try again.',
  queueFull: (limit: number) =>
    `I'm still answering, and ${messages(limit)} already wait. Send this one again later, or use /stop.`,
  busy: 'I have too many conversations at once. Please try again in a minute.',
  modelGone: (gone: string, used: string) => `${gone} is not available now, so ${used} answers. /model changes it.`,
  noModels: 'No model is connected yet. The operator of this bot has to add one.',
  failures: {
    unreachable: (model: string) =>
      `${model} can't be reached right now. Try again in a moment, or choose another model.`,
    tooSlow: (model: string) => `${model} took too long. Try again, or choose another model.`,
    rateLimited: (model: string, waitMs: number | undefined) =>
      waitMs === undefined
        ? `${model} has too many requests right now. Try again in a moment, or choose another model.`
        : `${model} has too many requests right now. Try again in ${wait(waitMs)}, or choose another model.`,
    tooLong: (model: string) =>
      `This conversation has become too long for ${model}. /new starts a fresh one; a model with a longer memory can go on.`,
    filtered: (model: string) =>
      `The provider of ${model} won't answer this because of its content rules. Put it in other words, or choose another model.`,
    rejected: (model: string) => `${model} can't take this message. Write it differently, or choose another model.`,
    brokeOff: (model: string) => `The answer of ${model} broke off. Retry writes it anew.`,
    empty: (model: string) => `${model} gave an empty answer. Try again, or choose another model.`,
    modelGone: (model: string) => `${model} is no longer available. Choose another model.`,
    blind: (model: string) => `${model} can't see photos. Choose a model that can, or describe the photo in words.`,
    photoTooLarge: (limitMb: number) => `This photo is too large: I take up to ${limitMb} MB.`,
    photoUnavailable: 'I could not load the photo from Telegram. Please try again.',
    interrupted: 'I had to restart in the middle of this answer. Retry writes it anew.',
    internal: 'Something went wrong on my side. Please try again.',
  },
  models: {
    heading: (current: string | undefined) => (current ? `Choose a model. Now: ${current}` : 'Choose a model.'),
    found: (count: number, search: string) =>
      `${pluralOf('en', count, { one: 'model', other: 'models' })} with “${search}” in the name.`,
    noneFound: (search: string) => `No model has “${search}” in its name.`,
    chosen: (model: string) => `${model} answers from now on.`,
    askSearch: 'Which model? Send me a part of its name.',
    gone: (model: string) => `${model} is no longer available.`,
  },
  system: {
    none: 'The model gets no instructions. You can tell it who it should be and how to answer, for example “Answer briefly, like a patient teacher”.',
    current: 'Your instructions for the model:',
    saved: 'Saved. These instructions count from your next message on.',
    removed: 'The instructions are removed.',
    ask: 'Send me the instructions for the model.',
    tooLong: (length: number, limit: number) =>
      `That is too long: ${length} characters, and ${limit} are possible. Nothing has changed.`,
  },
  settings: {
    heading: 'Settings',
    language: (name: string) => `Language: ${name}`,
    model: (name: string) => `Model: ${name}`,
    instructionsSet: 'Instructions: set',
    instructionsUnset: 'Instructions: none',
    followsTelegram: (name: string) => `${name} (as in Telegram)`,
    askLanguage: 'Which language should I speak?',
    noModel: 'none',
  },
  cancelled: 'Cancelled.',
};

/** The bot's own words in one language. */
export type Texts = typeof english;
