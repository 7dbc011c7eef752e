import { pluralOf } from '../../../texts/plural.ts';

export const english = {
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
};
