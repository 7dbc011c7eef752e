import type { english } from './english.ts';

export const russian: typeof english = {
  command: 'Спросить несколько моделей',
  choose: 'Выберите две или три модели. Они ответят одновременно.',
  tooMany: (count: number) => `Не больше ${count}. Сначала снимите выбор с одной.`,
  start: (count: number) => `▶️ Сравнить (${count})`,
  started: 'Пишу…',
  continuing: (model: string) => `Разговор продолжится с ответа ${model}.`,
  movedOn: 'Разговор уже продолжился. Чтобы продолжить с какого-то ответа, ответьте на него.',
  oneModel: 'Подключена только одна модель: сравнивать не с чем.',
  askWhat: 'Напишите вопрос после команды: /compare Борщ – это суп?',
};
