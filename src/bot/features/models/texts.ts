import { defineTexts } from '../../../texts/define-texts.ts';
import { pluralOf } from '../../../texts/plural.ts';

export const texts = defineTexts({
  en: {
    command: 'Choose the model',
    allModels: 'All models',
    heading: (current: string | undefined) => (current ? `Choose a model. Now: ${current}` : 'Choose a model.'),
    found: (count: number, search: string) =>
      `${pluralOf('en', count, { one: 'model', other: 'models' })} with “${search}” in the name.`,
    noneFound: (search: string) => `No model matches “${search}”.`,
    chosen: (model: string) => `Now using ${model}.`,
    linked: (model: string) => `New conversation: ${model} answers here. Your usual model stays the same.`,
    unknownLink: 'This link points to a model that does not exist. /model lists the available ones.',
    askSearch: 'Which model? Send me a part of its name.',
  },
  ru: {
    command: 'Выбрать модель',
    allModels: 'Все модели',
    heading: (current) => (current ? `Выберите модель. Сейчас: ${current}` : 'Выберите модель.'),
    found: (count, search) =>
      `${pluralOf('ru', count, { one: 'модель', few: 'модели', many: 'моделей', other: 'модели' })} с «${search}» в имени.`,
    noneFound: (search) => `Нет моделей с «${search}» в имени.`,
    chosen: (model) => `Теперь отвечает ${model}.`,
    linked: (model) => `Новый разговор: здесь отвечает ${model}. Ваша обычная модель не меняется.`,
    unknownLink: 'Ссылка ведёт к модели, которой здесь нет. Доступные модели: /model.',
    askSearch: 'Какая модель? Пришлите часть её имени.',
  },
});
