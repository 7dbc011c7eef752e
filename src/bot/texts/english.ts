import { englishGroups } from './english-groups.ts';
import { englishInputs } from './english-inputs.ts';
import { englishLimits } from './english-limits.ts';
import { englishTasks } from './english-tasks.ts';
import { englishTools } from './english-tools.ts';
import { englishSize, englishUsage, englishWait as wait } from './english-units.ts';
import type { Locale } from './locale.ts';
import { pluralOf } from './plural.ts';

const messages = (count: number) => pluralOf('en', count, { one: 'message', other: 'messages' });

/** Capabilities for speech, depending on the connected models. */
export interface InputCapabilities {
  /** Transcribes voice messages. */
  readonly hasSpeechToText: boolean;
  /** Reads answers aloud. */
  readonly hasTextToSpeech: boolean;
}

/** Shared texts of the bot in English: the reference that every other locale has to match key by key. */
export const english = {
  locale: 'en' as Locale,
  languageName: 'English',
  profile: {
    short: 'Chat with many AI models that remember, remind and search; images, photos, documents, files by link.',
    long: 'Write to me and an AI model answers, word by word.\n\nChoose from many models, create images with /imagine, ask about photos and documents, let me remember, remind and search, send a file to get a link to it, branch a conversation by replying to an earlier answer, or add me to a group and mention me.',
  },
  /** Alert for the owner of an API key. */
  setByAdmin: 'An admin has set this. Only an admin can change it.',
  /** `2.4 MiB`. */
  size: englishSize,
  buttons: {
    stop: 'Stop',
    stopAll: 'Stop all',
    dropWaiting: (count: number) => `Discard ${count} waiting`,
    answerAnew: 'Answer again',
    retry: 'Retry',
    otherModel: 'Other model',
    compare: 'Compare',
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
    privateChat: 'Open private chat',
    again: 'Again',
    goOn: 'Continue',
    memory: 'Memory',
    /** Below answers of several models to one question. */
    continueWith: 'Continue with this one',
    continuesHere: 'Continues from here',
  },
  /** Title of a conversation without text. */
  untitled: 'Untitled',
  emptyQuestion: 'Yes? Write your question in the same message.',
  stopped: 'Stopped.',
  nothingToStop: 'There is nothing to stop.',
  staleButton: 'This button has expired. Please send the command again.',
  otherChatButton: 'This button belongs to another chat.',
  foreignButton: 'This button belongs to someone else.',
  foreignStop: 'Only the user who asked can stop this.',
  movedOn: 'The conversation has moved on. Please send the question again.',
  answers: {
    thinking: 'Thinking…',
    sources: 'Sources',
    /** Below an answer that the user has stopped. */
    stopped: '⏹ Stopped',
    usage: englishUsage,
    stillWriting: 'I’m still writing. Wait a moment, or press Stop.',
    editedEarlier: 'You edited an earlier message. Should I answer it again and continue from there?',
    answeredAlready: 'This has already been answered.',
    foreign: 'Only the user who asked, or an admin of this chat, can do this.',
  },
  apology: 'Something went wrong on my side. Please try again.',
  queueFull: (limit: number) =>
    `I’m still answering, with ${messages(limit)} already waiting. Send this one again later, or use /stop.`,
  away: (waitMs: number, count: number) =>
    count === 1
      ? `I was offline, and your message waited for ${wait(waitMs)}. I’m answering it now.`
      : `I was offline: ${messages(count)} arrived, and the first one waited for ${wait(waitMs)}. I’m answering the last one and keeping the others in mind.`,
  busy: 'I have too many conversations right now. Please try again in a minute.',
  modelGone: (gone: string, used: string) =>
    `${gone} is not available right now, so ${used} is answering. To choose another model, use /model.`,
  noModels: 'No model is connected yet. The operator of this bot has to add one.',
  failures: {
    unreachable: (model: string) =>
      `${model} can’t be reached right now. Try again in a moment, or choose another model.`,
    tooSlow: (model: string) => `${model} took too long. Try again, or choose another model.`,
    rateLimited: (model: string, waitMs: number) =>
      `The provider of ${model} is busy. Try again in ${wait(waitMs)}, or choose another model.`,
    tooLong: (model: string) =>
      `This conversation has become too long for ${model}. Start a new one with /new, or choose a model with a larger context window.`,
    filtered: (model: string) =>
      `The provider of ${model} won’t answer this because of its content rules. Rephrase it, or choose another model.`,
    operatorNeeded: {
      key: (model: string) =>
        `${model} can’t be used until the operator of this bot acts: its provider refuses the key. Choose another model.`,
      credit: (model: string) =>
        `${model} can’t be used until the operator of this bot acts: the account at its provider has no credit. Choose another model.`,
    },
    providersSaid: (details: string) => `For admins only:\n${details}`,
    rejected: (model: string) => `${model} can’t process this message. Rephrase it, or choose another model.`,
    brokeOff: (model: string) => `${model} stopped in the middle of its answer. Press Retry for a new one.`,
    empty: (model: string) => `${model} returned an empty answer. Try again, or choose another model.`,
    modelGone: (model: string) => `${model} is no longer available. Choose another model.`,
    priceUnknown: (model: string) =>
      `${model} can’t be used within a budget: its price is not known. Choose another model.`,
    noVision: (model: string) => `${model} can’t see images. Choose a model that can, or describe the image in words.`,
    photoTooLarge: (limitMb: number) => `This photo is too large: the limit is ${limitMb} MB.`,
    photoUnavailable: 'I could not load the photo from Telegram. Please try again.',
    interrupted: 'I restarted in the middle of this answer. Press Retry for a new one.',
    toolEndedProcess:
      'I restarted while a tool was computing for this answer, and perhaps because of that, so I gave it up. Press Retry for a new one.',
    unconfirmed:
      'Telegram did not confirm the whole answer, so part of it may be missing above. Press Retry for a new one.',
    internal: 'Something went wrong on my side. Please try again.',
  },
  models: {
    gone: (model: string) => `${model} is no longer available.`,
    isSet: (model: string) =>
      `Admins of this group chose ${model} for everyone (/settings). Elsewhere your own choice applies.`,
  },
  tasks: englishTasks,
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
