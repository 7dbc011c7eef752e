import { pluralOf } from '../../../texts/plural.ts';
import type { english } from './english.ts';

export const russian: typeof english = {
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
};
