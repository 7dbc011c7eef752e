import { defineTexts } from '../../../texts/define-texts.ts';
import { pluralOf } from '../../../texts/plural.ts';

const englishImages = (count: number) => pluralOf('en', count, { one: 'image', other: 'images' });
const russianImages = (count: number) =>
  pluralOf('ru', count, { one: 'картинка', few: 'картинки', many: 'картинок', other: 'картинки' });

export const texts = defineTexts({
  en: {
    command: 'Create an image',
    stopped: englishImages,
    buttons: {
      vary: 'Vary',
      ratio: 'Ratio',
      fullSize: 'Full size',
    },
    /** Asked before a model may create images after it has read text of others. */
    permission: {
      question: 'Create this image?',
      allow: 'Create',
      refuse: 'Don’t create',
      details: (count: number, ratio?: string) => [englishImages(count), ...(ratio ? [ratio] : [])].join(', '),
    },
    askPrompt: 'What should the image show? Describe it.',
    askEdit: 'What should I change in this image?',
    askRatio: 'Which shape?',
    shapes: { square: 'Square', portrait: 'Portrait', landscape: 'Landscape' },
    moreRatios: 'More…',
    askAnyRatio: 'Which aspect ratio? Width to height.',
    askModel: 'Which model should create images?',
    noModels: 'No image model is connected. The operator of this bot has to add one.',
    noneEdits: 'None of the models here can edit images. /imagine with a description creates a new one.',
    noPhoto: 'I can only edit photos and images. Please send one of these.',
    imageJob: (model: string, seconds: number) =>
      seconds < 5 ? `Creating with ${model}…` : `Creating with ${model}… ${seconds} s`,
    waiting: (ahead: number, model: string) =>
      ahead === 0
        ? `Waiting for a free slot… ${model}`
        : `Waiting: ${englishImages(ahead)} of yours ahead of this one. ${model}`,
    album: (count: number) => `${englishImages(count)}. What next?`,
    seeds: (count: number, seeds: string) => (count === 1 ? `seed ${seeds}` : `seeds ${seeds}`),
    fewer: (made: number, wanted: number) => `only ${made} of ${wanted} succeeded`,
    busy: 'I have too many images in progress. Please try again in a minute.',
    atIt: 'I’m already creating it.',
    gone: 'I no longer have this image: I keep images for a few days only.',
    fileTooLarge: (sizeMb: number) => `The file is ${sizeMb} MB, and Telegram accepts at most 50 MB from me.`,
    fileFailed: 'I could not send the file. Please try again.',
    problems: {
      flag: (flag: string) => `I don’t know ${flag}. You can use --ratio 16:9, --model name, --n 4 and --seed 7.`,
      ratio: (value: string, possible: string) =>
        value === ''
          ? `Which ratio? You can use ${possible}.`
          : `The ratio ${value} is not supported. You can use ${possible}.`,
      model: 'Which model? Write its name, or part of it, after --model.',
      count: (value: string): string =>
        value === '' ? 'How many images? Write a number from 1 to 10 after --n.' : '--n must be between 1 and 10.',
      seed: (value: string): string =>
        value === ''
          ? 'Which seed? Write a whole number from 0 to 2147483647 after --seed.'
          : '--seed must be a whole number from 0 to 2147483647.',
      tooLong: (length: number, limit: number) =>
        `That is too long: ${length} characters, and the limit is ${limit}. No image was created.`,
      severalModels: (name: string, models: string) =>
        `“${name}” matches several models: ${models}. Write more of the name.`,
      noSuchModel: (name: string, models: string) => `No image model matches “${name}”. Available: ${models}.`,
    },
    failures: {
      tooLong: (model: string) => `This description is too long for ${model}. Shorten it, or choose another model.`,
      filtered: (model: string) =>
        `The provider of ${model} won’t create this image because of its content rules. Rephrase it, or choose another model.`,
      rejected: (model: string) =>
        `${model} can’t create this image. Describe it differently, or choose another model.`,
      cannotEdit: (model: string) => `${model} can’t edit images. Choose a model that can.`,
      unreadable: 'I could not read this image: it is damaged or too large. Please send another one.',
      sourceGone: 'I no longer have the original image. Send it as a photo with /imagine as the caption.',
      queueFull: 'You already have too many images waiting. Try again when some of them are done.',
      interrupted: 'I restarted while creating this image. Press Again to try once more.',
      undelivered: 'I restarted while sending this image. Full size sends it as a file, Again creates a new one.',
      refused: 'The image is ready, but Telegram rejected it.',
      unclear: 'The image is ready, but Telegram did not confirm that it arrived.',
    },
  },
  ru: {
    command: 'Нарисовать картинку',
    stopped: russianImages,
    buttons: {
      vary: 'Вариант',
      ratio: 'Формат',
      fullSize: 'Оригинал',
    },
    permission: {
      question: 'Нарисовать эту картинку?',
      allow: 'Нарисовать',
      refuse: 'Не рисовать',
      details: (count, ratio) => [russianImages(count), ...(ratio ? [ratio] : [])].join(', '),
    },
    askPrompt: 'Что нарисовать? Опишите картинку.',
    askEdit: 'Что изменить на этой картинке?',
    askRatio: 'Какой формат?',
    shapes: { square: 'Квадрат', portrait: 'Вертикальный', landscape: 'Горизонтальный' },
    moreRatios: 'Ещё…',
    askAnyRatio: 'Какое соотношение сторон? Ширина к высоте.',
    askModel: 'Какая модель будет рисовать?',
    noModels: 'Ни одна рисующая модель не подключена. Это должен сделать владелец бота.',
    noneEdits: 'Ни одна из моделей здесь не умеет менять картинки. /imagine с описанием нарисует новую.',
    noPhoto: 'Я умею менять только фото и картинки. Пришлите, пожалуйста, в таком виде.',
    imageJob: (model, seconds) => (seconds < 5 ? `Рисует ${model}…` : `Рисует ${model}… ${seconds} с`),
    waiting: (ahead, model) =>
      ahead === 0 ? `В очереди… ${model}` : `В очереди: перед этой ещё ${russianImages(ahead)} от вас. ${model}`,
    album: (count) => `${russianImages(count)}. Что дальше?`,
    seeds: (_count, seeds) => `seed ${seeds}`,
    fewer: (made, wanted) => `получилось только ${made} из ${wanted}`,
    busy: 'Сейчас создаётся слишком много картинок. Попробуйте через минуту.',
    atIt: 'Я уже рисую.',
    gone: 'Этой картинки у меня больше нет: я храню картинки несколько дней.',
    fileTooLarge: (sizeMb) => `Файл занимает ${sizeMb} МБ, а Telegram принимает от меня до 50 МБ.`,
    fileFailed: 'Не получилось отправить файл. Попробуйте ещё раз.',
    problems: {
      flag: (flag) => `Я не знаю ${flag}. Можно: --ratio 16:9, --model имя, --n 4 и --seed 7.`,
      ratio: (value, possible) =>
        value === '' ? `Какой формат? Можно: ${possible}.` : `Формата ${value} нет. Можно: ${possible}.`,
      model: 'Какая модель? Напишите после --model имя или его часть.',
      count: (value) =>
        value === '' ? 'Сколько картинок? Напишите после --n число от 1 до 10.' : '--n должно быть от 1 до 10.',
      seed: (value) =>
        value === ''
          ? 'Какой seed? Напишите после --seed целое число от 0 до 2147483647.'
          : '--seed должно быть целым числом от 0 до 2147483647.',
      tooLong: (length, limit) => `Слишком длинно: ${length} знаков, а можно не больше ${limit}. Картинка не создана.`,
      severalModels: (name, models) => `«${name}» подходит к нескольким моделям: ${models}. Уточните имя.`,
      noSuchModel: (name, models) => `Нет рисующей модели с «${name}» в имени. Есть: ${models}.`,
    },
    failures: {
      tooLong: (model) => `Описание слишком длинное для ${model}. Сократите его или выберите другую модель.`,
      filtered: (model) =>
        `Правила провайдера не позволяют ${model} это нарисовать. Переформулируйте или выберите другую модель.`,
      rejected: (model) => `${model} не может это нарисовать. Опишите иначе или выберите другую модель.`,
      cannotEdit: (model) => `${model} не умеет менять картинки. Выберите модель, которая умеет.`,
      unreadable: 'Не получилось прочесть эту картинку: она испорчена или слишком велика. Пришлите другую.',
      sourceGone: 'Картинки, которую надо изменить, у меня больше нет. Пришлите её как фото с подписью /imagine.',
      queueFull: 'Слишком много ваших картинок уже ждут. Попробуйте, когда часть из них будет готова.',
      interrupted: 'Я перезапустился во время рисования. Нажмите «Ещё раз», чтобы нарисовать заново.',
      undelivered: 'Я перезапустился во время отправки. «Оригинал» пришлёт файл, «Ещё раз» нарисует заново.',
      refused: 'Картинка готова, но Telegram её не принял.',
      unclear: 'Картинка готова, но Telegram не подтвердил, что она дошла.',
    },
  },
});
