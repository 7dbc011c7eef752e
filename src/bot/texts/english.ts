import { englishGroups } from './english-groups.ts';
import { englishInputs } from './english-inputs.ts';
import { englishLimits } from './english-limits.ts';
import { englishTools } from './english-tools.ts';
import { englishSize, englishWait as wait } from './english-units.ts';
import { englishVoice } from './english-voice.ts';
import type { Locale } from './locale.ts';
import { pluralOf } from './plural.ts';

const messages = (count: number) => pluralOf('en', count, { one: 'message', other: 'messages' });

const pictures = (count: number) => pluralOf('en', count, { one: 'picture', other: 'pictures' });

/** What the bot can do beside reading and writing, as models are connected for it. */
export interface Senses {
  /** It understands voice messages. */
  readonly listens: boolean;
  /** It reads answers aloud. */
  readonly speaks: boolean;
}

/** The bot's own words in English: the reference that every other locale has to match key by key. */
export const english = {
  locale: 'en' as Locale,
  languageName: 'English',
  commands: {
    imagine: 'Draw a picture',
  },
  profile: {
    short:
      'Chat with AI models and have them draw: many models, streamed answers, photos, groups. Keeps files, gives links.',
    long: 'Write to me and an AI model answers, word by word.\n\nChoose among many models, have pictures drawn with /imagine, ask about photos and documents, send a file and get a link to it, branch a conversation by replying to an older answer, or add me to a group and mention me.',
  },
  /** `2.4 MiB`. */
  size: englishSize,
  buttons: {
    stop: 'Stop',
    dropWaiting: (count: number) => `Drop ${count} waiting`,
    answerAnew: 'Answer anew',
    retry: 'Retry',
    otherModel: 'Other model',
    chooseModel: 'Choose a model',
    copyLink: 'Copy link',
    search: 'Search',
    close: 'Close',
    cancel: 'Cancel',
    back: 'Back',
    undo: 'Undo',
    more: 'More',
    language: 'Language',
    model: 'Model',
    systemPrompt: 'Instructions',
    newConversation: 'New conversation',
    privateChat: 'Our private chat',
    again: 'Again',
    goOn: 'Continue',
    vary: 'Vary',
    ratio: 'Ratio',
    fullSize: 'Full size',
  },
  /** A conversation without words. */
  untitled: 'Untitled',
  emptyQuestion: 'Yes? Write your question in the same message.',
  stopped: 'Stopped.',
  nothingToStop: 'There is nothing to stop.',
  stalePress: 'This button is too old. Please use the command again.',
  otherChatPress: 'This button belongs to another chat.',
  foreignPress: 'This button belongs to someone else.',
  foreignStop: 'Only the person who asked can stop this.',
  movedOn: 'The conversation has moved on. Please send the question again.',
  answers: {
    anotherOne: 'Writing another answer…',
    goingOn: 'Going on…',
    thinking: 'Thinking…',
    sources: 'Sources',
    /** Below an answer that its user has stopped. */
    stopped: '⏹ Stopped',
    stillWriting: 'I am still writing. Wait a moment, or press Stop.',
    changed: 'This has just changed. Please press again.',
    movedOn: 'The conversation has moved on. Reply to this message to go on from here.',
    editedEarlier: 'You changed an earlier message. Should I answer it again and continue from there?',
    answeredAlready: 'This is answered already.',
    foreign: 'Only the person who asked, or an admin of this chat, can do this.',
    variant: (number: number, count: number, model: string) => `Answer ${number} of ${count}, written by ${model}.`,
  },
  apology: 'Something went wrong on my side. Please try again.',
  queueFull: (limit: number) =>
    `I'm still answering, and ${messages(limit)} already wait. Send this one again later, or use /stop.`,
  away: (waitMs: number, count: number) =>
    count === 1
      ? `I was away: your message has waited for ${wait(waitMs)}. I answer it now.`
      : `I was away: ${messages(count)} came meanwhile, the first waited for ${wait(waitMs)}. I answer the last one and keep the others in mind.`,
  busy: 'I have too many conversations at once. Please try again in a minute.',
  modelGone: (gone: string, used: string) => `${gone} is not available now, so ${used} answers. /model changes it.`,
  noModels: 'No model is connected yet. The operator of this bot has to add one.',
  failures: {
    unreachable: (model: string) =>
      `${model} can't be reached right now. Try again in a moment, or choose another model.`,
    tooSlow: (model: string) => `${model} took too long. Try again, or choose another model.`,
    rateLimited: (model: string, waitMs: number) =>
      `The provider of ${model} is busy. Try again in ${wait(waitMs)}, or choose another model.`,
    tooLong: (model: string) =>
      `This conversation has become too long for ${model}. /new starts a fresh one; a model with a longer memory can go on.`,
    filtered: (model: string) =>
      `The provider of ${model} won't answer this because of its content rules. Put it in other words, or choose another model.`,
    rejected: (model: string) => `${model} can't take this message. Write it differently, or choose another model.`,
    brokeOff: (model: string) => `The answer of ${model} broke off. Retry rewrites it.`,
    empty: (model: string) => `${model} gave an empty answer. Try again, or choose another model.`,
    modelGone: (model: string) => `${model} is no longer available. Choose another model.`,
    blind: (model: string) => `${model} can't see photos. Choose a model that can, or describe the photo in words.`,
    photoTooLarge: (limitMb: number) => `This photo is too large: I take up to ${limitMb} MB.`,
    photoUnavailable: 'I could not load the photo from Telegram. Please try again.',
    interrupted: 'I had to restart in the middle of this answer. Retry rewrites it.',
    unconfirmed: 'Telegram did not confirm all of this answer: a part of it may be missing above. Retry rewrites it.',
    internal: 'Something went wrong on my side. Please try again.',
  },
  models: {
    gone: (model: string) => `${model} is no longer available.`,
  },
  feedback: { up: 'Thanks for the feedback.', down: 'Thanks for the feedback.', takenBack: 'Feedback removed.' },
  tools: englishTools,
  inputs: englishInputs,
  groups: englishGroups,
  voice: englishVoice,
  limits: englishLimits,
  access: {
    banned: 'The operator of this bot has banned you, so I can’t answer.',
    stranger: (id: string) =>
      `This bot is private. If you know its operator, ask for access: your Telegram id is ${id}.`,
    openLinkAgain: 'I have access now: open the link again',
  },
  imagine: {
    askPrompt: 'What should I draw? Describe the picture.',
    askEdit: 'What should I change in this picture?',
    askRatio: 'Which shape? Width to height.',
    askModel: 'Which model should draw?',
    noModels: 'No model that draws is connected. The operator of this bot has to add one.',
    noneEdits: 'None of the models here can change pictures. /imagine with a description draws a new one.',
    noPhoto: 'I can change photos and pictures only. Please send it as one of these.',
    drawing: (model: string, seconds: number) =>
      seconds < 5 ? `Drawing with ${model}…` : `Drawing with ${model}… ${seconds} s`,
    waiting: (ahead: number, model: string) =>
      ahead === 0
        ? `Waiting for a free place… ${model}`
        : `Waiting: ${pictures(ahead)} of yours ${ahead === 1 ? 'is' : 'are'} before this one. ${model}`,
    album: (count: number) => `${pictures(count)}. What next?`,
    seeds: (count: number, seeds: string) => (count === 1 ? `seed ${seeds}` : `seeds ${seeds}`),
    fewer: (made: number, wanted: number) => `only ${made} of ${wanted} came out`,
    busy: 'I have too many pictures at once. Please try again in a minute.',
    atIt: 'I am already drawing.',
    gone: 'I no longer have this picture: I keep them for a few days.',
    fileTooLarge: (sizeMb: number) => `The file has ${sizeMb} MB, and Telegram takes up to 50 MB from me.`,
    fileFailed: 'I could not send the file. Please try again.',
    wrong: {
      flag: (flag: string) => `I don't know ${flag}. Possible are --ratio 16:9, --model name, --n 4 and --seed 7.`,
      ratio: (value: string, possible: string) =>
        value === ''
          ? `Which ratio? Possible are ${possible}.`
          : `I can't draw in the ratio ${value}. Possible are ${possible}.`,
      model: 'Which model? Write a name after --model, or a part of it.',
      count: (value: string): string =>
        value === '' ? 'How many pictures? Write a number from 1 to 10 after --n.' : '--n must be between 1 and 10.',
      seed: (value: string): string =>
        value === ''
          ? 'Which seed? Write a whole number from 0 to 2147483647 after --seed.'
          : '--seed must be a whole number from 0 to 2147483647.',
      tooLong: (length: number, limit: number) =>
        `That is too long: ${length} characters, and ${limit} are possible. Nothing was drawn.`,
      severalModels: (name: string, models: string) =>
        `“${name}” fits several models: ${models}. Write more of the name.`,
      noSuchModel: (name: string, models: string) =>
        `No model that draws has “${name}” in its name. There are: ${models}.`,
    },
    failures: {
      tooLong: (model: string) => `This description is too long for ${model}. Shorten it, or choose another model.`,
      filtered: (model: string) =>
        `The provider of ${model} won't draw this because of its content rules. Put it in other words, or choose another model.`,
      rejected: (model: string) => `${model} can't draw this. Describe it differently, or choose another model.`,
      cannotEdit: (model: string) => `${model} can't change pictures. Choose a model that can.`,
      unreadable: 'I could not read this picture: it is broken, or too large. Please send another one.',
      sourceGone: 'I no longer have the picture that was to be changed. Send it as a photo with /imagine below it.',
      queueFull: 'Too many of your pictures wait already. Try again when some of them are done.',
      interrupted: 'I had to restart while I was drawing this. Again redraws it.',
      undelivered: 'I had to restart while I was sending this. Full size sends it as a file, Again redraws it.',
      refused: 'The picture is drawn, but Telegram does not take it.',
      unclear: 'The picture is drawn, but Telegram does not say whether it arrived.',
    },
  },
};

/** The bot's own words in one language. */
export type Texts = typeof english;
