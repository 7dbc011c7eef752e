import { defineTexts } from '../../../texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    ask: (model: string) => `Ask ${model}`,
    answer: 'Answer',
    waiting: 'The answer will appear here. If it doesn’t, press the button.',
    continueHere: 'Continue in the chat',
    cut: '… The rest is in our chat.',
    outcomes: {
      begun: 'I’m writing.',
      known: 'I’m already writing.',
      overloaded: 'I’m too busy right now. Please press again in a minute.',
      'no-model': 'No model is connected yet. The operator of this bot has to add one.',
    },
    noFiles: 'Send me files to share them here',
    noneFound: 'No file with this name',
  },
  ru: {
    ask: (model) => `Спросить ${model}`,
    answer: 'Ответить',
    waiting: 'Ответ появится здесь. Если его нет, нажмите кнопку.',
    continueHere: 'Продолжить в чате',
    cut: '… Продолжение — в нашем чате.',
    outcomes: {
      begun: 'Пишу.',
      known: 'Уже пишу.',
      overloaded: 'Сейчас я слишком занят. Нажмите ещё раз через минуту.',
      'no-model': 'Ни одна модель ещё не подключена. Её должен добавить владелец бота.',
    },
    noFiles: 'Пришлите мне файлы, чтобы делиться ими здесь',
    noneFound: 'Нет файла с таким именем',
  },
});
