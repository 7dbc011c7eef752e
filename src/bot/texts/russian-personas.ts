import type { englishPersonas } from './english-personas.ts';

/** The bot's own words about personas, in Russian. */
export const russianPersonas: typeof englishPersonas = {
  shipped: {
    assistant: {
      name: 'Помощник',
      description: 'Отвечает на любые вопросы, понятно и по делу.',
      example: 'Что посмотреть в Лиссабоне?',
    },
    translator: {
      name: 'Переводчик',
      description: 'Переводит всё, что вы пришлёте; язык можно назвать.',
      example: 'Доброе утро! Где вокзал?',
    },
    programmer: {
      name: 'Программист',
      description: 'Пишет рабочий код, находит ошибки, объясняет решения.',
      example: 'Прочитать CSV в Python',
    },
    proofreader: {
      name: 'Корректор',
      description: 'Исправляет ваши тексты и говорит, что изменено.',
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
      description: 'Рассказывает истории; что дальше – решаете вы.',
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
  buttons: {
    personas: 'Роли',
    use: 'В этом разговоре',
    useAlways: 'Во всех разговорах',
    useNoLonger: 'Больше не во всех разговорах',
    make: 'Новая роль',
    rename: 'Переименовать',
    edit: 'Инструкция',
    delete: 'Удалить',
    deleteForGood: 'Да, удалить',
    keep: 'Оставить',
    ownInstructions: 'Своя инструкция',
  },
  heading: (current) => (current === undefined ? 'Кто вам ответит?' : `Кто вам ответит? Здесь сейчас: ${current}`),
  isHere: 'Отвечает в этом разговоре.',
  isDefault: 'Отвечает во всех разговорах, где не выбрано другое.',
  used: (name) => `${name}: теперь отвечает в этом разговоре.`,
  usedAlways: (name) => `${name}: теперь отвечает здесь и во всех новых разговорах.`,
  usedNoLonger: 'Новые разговоры снова начинаются без роли.',
  linked: (name) => `Новый разговор: здесь отвечает ${name}.`,
  forExample: 'Напишите, например:',
  unknownLink: 'Ссылка ведёт к роли, которой у меня нет или больше нет. Какие есть, покажет /persona.',
  gone: 'Этой роли больше нет.',
  noneFound: (name) => `Нет роли «${name}». Есть такие:`,
  askName: (limit) => `Как её назвать? Не больше ${limit} знаков.`,
  askInstructions: (name) =>
    `Что сказать модели для роли «${name}»? Напишите, кто она и как ей отвечать, одним сообщением.`,
  askNewName: 'Пришлите новое имя.',
  badName: (limit) => `В имени от 1 до ${limit} знаков, в одну строку. Пришлите другое.`,
  nameTaken: (name) => `Роль «${name}» у вас уже есть. Пришлите другое имя.`,
  full: (limit) => `У вас ролей: ${limit}, больше нельзя. Сначала удалите одну.`,
  instructionsTooLong: (length, limit) =>
    `Слишком длинно: ${length} знаков, а можно ${limit}. Пришлите текст покороче.`,
  noInstructions: 'Нужна инструкция. Пришлите текст.',
  made: (name) => `Роль «${name}» готова.`,
  saved: 'Сохранено.',
  askDeletion: 'Удалить эту роль? Разговоры с ней продолжатся без неё.',
  deleted: (name) => `Роль «${name}» удалена.`,
};
