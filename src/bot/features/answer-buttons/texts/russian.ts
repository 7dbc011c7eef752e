import type { english } from './english.ts';

export const russian: typeof english = {
  anotherOne: 'Пишу другой ответ…',
  goingOn: 'Продолжаю…',
  changed: 'Здесь только что всё изменилось. Нажмите ещё раз.',
  movedOn: 'Разговор уже продолжился. Чтобы вернуться сюда, ответьте на это сообщение.',
  variant: (number: number, count: number, model: string) => `Ответ ${number} из ${count}, написала модель ${model}.`,
  permission: {
    allowed: 'Продолжаю…',
    refused: 'Продолжаю без этого…',
    onlyAuthor: 'Это может разрешить только тот, кто задал вопрос.',
    decided: 'Это уже решено.',
  },
};
