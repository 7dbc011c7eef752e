import { pluralOf } from '../../../texts/plural.ts';

const images = (count: number) => pluralOf('en', count, { one: 'picture', other: 'pictures' });

export const english = {
  command: 'Draw a picture',
  buttons: {
    vary: 'Vary',
    ratio: 'Ratio',
    fullSize: 'Full size',
  },
  askPrompt: 'What should I draw? Describe the picture.',
  askEdit: 'What should I change in this picture?',
  askRatio: 'Which shape? Width to height.',
  askModel: 'Which model should draw?',
  noModels: 'No model that draws is connected. The operator of this bot has to add one.',
  noneEdits: 'None of the models here can change pictures. /imagine with a description draws a new one.',
  noPhoto: 'I can change photos and pictures only. Please send it as one of these.',
  imageJob: (model: string, seconds: number) =>
    seconds < 5 ? `Drawing with ${model}…` : `Drawing with ${model}… ${seconds} s`,
  waiting: (ahead: number, model: string) =>
    ahead === 0
      ? `Waiting for a free place… ${model}`
      : `Waiting: ${images(ahead)} of yours ${ahead === 1 ? 'is' : 'are'} before this one. ${model}`,
  album: (count: number) => `${images(count)}. What next?`,
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
};
