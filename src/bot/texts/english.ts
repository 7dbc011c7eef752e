import { englishGroups } from './english-groups.ts';
import { englishInputs } from './english-inputs.ts';
import { englishLimits } from './english-limits.ts';
import { englishTools } from './english-tools.ts';
import { englishSize, englishWait as wait } from './english-units.ts';
import type { Locale } from './locale.ts';
import { pluralOf } from './plural.ts';

const messages = (count: number) => pluralOf('en', count, { one: 'message', other: 'messages' });

/** Capabilities for speech, depending on the connected models. */
export interface InputCapabilities {
  /** Transcribes voice messages. */
  readonly hasSpeechToText: boolean;
  /** Reads answers aloud. */
  readonly speaks: boolean;
}

/** Shared texts of the bot in English: the reference that every other locale has to match key by key. */
export const english = {
  locale: 'en' as Locale,
  languageName: 'English',
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
  },
  /** Title of a conversation without text. */
  untitled: 'Untitled',
  emptyQuestion: 'Yes? Write your question in the same message.',
  stopped: 'Stopped.',
  nothingToStop: 'There is nothing to stop.',
  staleButton: 'This button is too old. Please use the command again.',
  otherChatButton: 'This button belongs to another chat.',
  foreignButton: 'This button belongs to someone else.',
  foreignStop: 'Only the person who asked can stop this.',
  movedOn: 'The conversation has moved on. Please send the question again.',
  answers: {
    thinking: 'Thinking…',
    sources: 'Sources',
    /** Below an answer that the user has stopped. */
    stopped: '⏹ Stopped',
    stillWriting: 'I am still writing. Wait a moment, or press Stop.',
    editedEarlier: 'You changed an earlier message. Should I answer it again and continue from there?',
    answeredAlready: 'This is answered already.',
    foreign: 'Only the person who asked, or an admin of this chat, can do this.',
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
  tools: englishTools,
  inputs: englishInputs,
  groups: englishGroups,
  limits: englishLimits,
  access: {
    banned: 'The operator of this bot has banned you, so I can’t answer.',
    stranger: (id: string) =>
      `This bot is private. If you know its operator, ask for access: your Telegram id is ${id}.`,
    openLinkAgain: 'I have access now: open the link again',
  },
};

/** Shared texts of the bot in one language. */
export type Texts = typeof english;
