import { defineTexts } from '../../texts/define-texts.ts';

/** Built-in personas; the example must fit on a button. */
export const texts = defineTexts({
  en: {
    assistant: {
      name: 'Assistant',
      description: 'Answers whatever you ask, clearly and to the point.',
      example: 'What should I see in Lisbon?',
    },
    translator: {
      name: 'Translator',
      description: 'Translates everything you send into the language you name.',
      example: 'Into Spanish: where is the station?',
    },
    programmer: {
      name: 'Programmer',
      description: 'Writes code that works, finds bugs, explains decisions.',
      example: 'Read a CSV file in Python',
    },
    proofreader: {
      name: 'Proofreader',
      description: 'Corrects your texts and explains the changes.',
      example: 'Me and him was late because of the rain',
    },
    teacher: {
      name: 'Teacher',
      description: 'Asks questions until you find the answer yourself.',
      example: 'Why is the sky blue?',
    },
    lawyer: {
      name: 'Law explained',
      description: 'Explains rights and duties in plain words. No legal advice.',
      example: 'May my landlord raise the rent?',
    },
    cook: { name: 'Cook', description: 'Recipes from what you have at home.', example: 'Eggs, rice, half a cabbage' },
    fitness: {
      name: 'Fitness coach',
      description: 'Training plans that fit you, and technique.',
      example: 'Three times a week, no equipment',
    },
    storyteller: {
      name: 'Storyteller',
      description: 'Tells stories; you decide what happens next.',
      example: 'A lighthouse, a storm, a stranger',
    },
    interviewer: {
      name: 'Interviewer',
      description: 'Practises job interviews and exams with you.',
      example: 'A job as a data analyst',
    },
    brainstormer: {
      name: 'Brainstormer',
      description: 'Ten different ideas, and which to try first.',
      example: 'A birthday for a ten-year-old',
    },
    summariser: { name: 'Summariser', description: 'The key points of long texts.', example: 'The plot of Moby-Dick' },
  },
  ru: {
    assistant: {
      name: 'Помощник',
      description: 'Отвечает на любые вопросы, понятно и по делу.',
      example: 'Что посмотреть в Лиссабоне?',
    },
    translator: {
      name: 'Переводчик',
      description: 'Переводит всё, что вы пришлёте, на язык, который вы назовёте.',
      example: 'На испанский: где вокзал?',
    },
    programmer: {
      name: 'Программист',
      description: 'Пишет рабочий код, находит ошибки, объясняет решения.',
      example: 'Прочитать CSV в Python',
    },
    proofreader: {
      name: 'Корректор',
      description: 'Исправляет ваши тексты и объясняет правки.',
      example: 'Мы с ним опаздали из за дождя',
    },
    teacher: {
      name: 'Учитель',
      description: 'Спрашивает, а не подсказывает, пока вы не поймёте сами.',
      example: 'Почему небо голубое?',
    },
    lawyer: {
      name: 'Права и законы',
      description: 'Объясняет права и обязанности. Не юридическая консультация.',
      example: 'Могут ли поднять мне аренду?',
    },
    cook: { name: 'Повар', description: 'Рецепты из того, что есть дома.', example: 'Яйца, рис, полкочана капусты' },
    fitness: {
      name: 'Тренер',
      description: 'Планы тренировок для вас и техника.',
      example: 'Три раза в неделю, без снарядов',
    },
    storyteller: {
      name: 'Рассказчик',
      description: 'Рассказывает истории; что дальше — решаете вы.',
      example: 'Маяк, шторм, незнакомец',
    },
    interviewer: {
      name: 'Интервьюер',
      description: 'Репетирует с вами собеседования и экзамены.',
      example: 'Вакансия аналитика данных',
    },
    brainstormer: {
      name: 'Генератор идей',
      description: 'Десять разных идей и с какой начать.',
      example: 'День рождения: десять лет',
    },
    summariser: { name: 'Краткий пересказ', description: 'Суть длинных текстов.', example: 'Сюжет «Моби Дика»' },
  },
});
