import { defineTexts } from '../../../bot/texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    about: 'The last warnings and errors of this process. The whole log is its standard output.',
    none: 'No warnings and no errors since the start.',
    entries: 'Warnings and errors',
    time: 'Time',
    level: 'Level',
    levels: { warn: 'warning', error: 'error', fatal: 'fatal error' },
    message: 'Message',
    facts: 'Details',
  },
  ru: {
    about: 'Последние предупреждения и ошибки этого процесса. Весь журнал — в его стандартном выводе.',
    none: 'С запуска не было ни предупреждений, ни ошибок.',
    entries: 'Предупреждения и ошибки',
    time: 'Время',
    level: 'Уровень',
    levels: { warn: 'предупреждение', error: 'ошибка', fatal: 'фатальная ошибка' },
    message: 'Сообщение',
    facts: 'Подробности',
  },
});
