import type { english } from './english.ts';

export const russian: typeof english = {
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
};
