import { defineTexts } from '../../../texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    command: 'Ask several models at once',
    choose: 'Choose two or three models. They answer at the same time.',
    tooMany: (count: number) => `${count} models at most. Deselect one first.`,
    start: (count: number) => `▶️ Compare (${count})`,
    started: 'Writing…',
    continuing: (model: string) => `The conversation continues from the answer of ${model}.`,
    movedOn: 'The conversation has moved on. Reply to an answer to continue from it.',
    oneModel: 'Only one model is connected, so there is nothing to compare.',
    askWhat: 'Write your question after the command: /compare Is a hot dog a sandwich?',
  },
  ru: {
    command: 'Спросить несколько моделей',
    choose: 'Выберите две или три модели. Они ответят одновременно.',
    tooMany: (count: number) => `Не больше ${count}. Сначала снимите выбор с одной.`,
    start: (count: number) => `▶️ Сравнить (${count})`,
    started: 'Пишу…',
    continuing: (model: string) => `Разговор продолжится с ответа ${model}.`,
    movedOn: 'Разговор уже продолжился. Чтобы продолжить с какого-то ответа, ответьте на него.',
    oneModel: 'Подключена только одна модель: сравнивать не с чем.',
    askWhat: 'Напишите вопрос после команды: /compare Борщ – это суп?',
  },
});
