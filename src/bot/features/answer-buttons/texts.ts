import { defineTexts } from '../../../texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    anotherOne: 'Writing another answer…',
    continuing: 'Continuing…',
    changed: 'This message has just changed. Please press again.',
    movedOn: 'The conversation has moved on. Reply to this message to continue from here.',
    variant: (number: number, count: number, model: string) => `Answer ${number} of ${count}, written by ${model}.`,
    permission: {
      allowed: 'Continuing…',
      refused: 'Continuing without it…',
      onlyAuthor: 'Only the user who asked can allow this.',
      decided: 'This has already been decided.',
    },
  },
  ru: {
    anotherOne: 'Пишу другой ответ…',
    continuing: 'Продолжаю…',
    changed: 'Здесь только что всё изменилось. Нажмите ещё раз.',
    movedOn: 'Разговор уже продолжился. Чтобы вернуться сюда, ответьте на это сообщение.',
    variant: (number: number, count: number, model: string) => `Ответ ${number} из ${count}, написала модель ${model}.`,
    permission: {
      allowed: 'Продолжаю…',
      refused: 'Продолжаю без этого…',
      onlyAuthor: 'Это может разрешить только тот, кто задал вопрос.',
      decided: 'Это уже решено.',
    },
  },
});
