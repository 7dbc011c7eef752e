import type { Texts } from './english.ts';
import { pluralOf } from './plural.ts';
import { russianGroups } from './russian-groups.ts';
import { russianInputs } from './russian-inputs.ts';
import { russianLimits } from './russian-limits.ts';
import { russianTasks } from './russian-tasks.ts';
import { russianTools } from './russian-tools.ts';
import { russianSize, russianUsage, russianWait as wait } from './russian-units.ts';

const messages = (count: number) =>
  pluralOf('ru', count, { one: 'сообщение', few: 'сообщения', many: 'сообщений', other: 'сообщения' });

/** Shared texts of the bot in Russian. */
export const russian: Texts = {
  locale: 'ru',
  languageName: 'Русский',
  profile: {
    short:
      'Общайтесь с моделями ИИ, создавайте картинки, спрашивайте о документах, ставьте напоминания, храните файлы.',
    long: 'Напишите мне, и модель ИИ ответит, слово за словом.\n\nВыбирайте из многих моделей, рисуйте картинки командой /imagine, спрашивайте о фото и документах, просите запомнить, напомнить и найти, присылайте файлы, чтобы получить ссылку, отвечайте на прежний ответ, чтобы продолжить с него, или добавьте меня в группу и упомяните.',
  },
  setByAdmin: 'Это установил администратор, изменить это может только администратор.',
  size: russianSize,
  buttons: {
    stop: 'Стоп',
    stopAll: 'Остановить все',
    dropWaiting: (count: number) => `Убрать ожидающие: ${count}`,
    answerAnew: 'Ответить заново',
    retry: 'Повторить',
    otherModel: 'Другая модель',
    compare: 'Сравнить',
    chooseModel: 'Выбрать модель',
    copyLink: 'Скопировать ссылку',
    search: 'Поиск',
    close: 'Закрыть',
    cancel: 'Отмена',
    back: 'Назад',
    undo: 'Отменить',
    more: 'Ещё',
    language: 'Язык',
    model: 'Модель',
    systemPrompt: 'Инструкция',
    newConversation: 'Новый разговор',
    privateChat: 'Открыть личный чат',
    again: 'Ещё раз',
    goOn: 'Дальше',
    memory: 'Память',
    continueWith: 'Продолжить с этим',
    continuesHere: 'Продолжение отсюда',
  },
  untitled: 'Без названия',
  emptyQuestion: 'Да? Напишите вопрос в том же сообщении.',
  stopped: 'Остановлено.',
  nothingToStop: 'Останавливать нечего.',
  staleButton: 'Эта кнопка устарела. Введите команду ещё раз.',
  otherChatButton: 'Эта кнопка из другого чата.',
  foreignButton: 'Это чужая кнопка.',
  foreignStop: 'Остановить это может только тот, кто попросил.',
  movedOn: 'Разговор уже продолжился. Задайте вопрос ещё раз.',
  answers: {
    thinking: 'Думаю…',
    sources: 'Источники',
    stopped: '⏹ Остановлено',
    usage: russianUsage,
    stillWriting: 'Я ещё пишу. Подождите немного или нажмите «Стоп».',
    editedEarlier: 'Вы изменили более раннее сообщение. Ответить на него заново и продолжить оттуда?',
    answeredAlready: 'На это уже есть ответ.',
    foreign: 'Это может сделать только тот, кто спросил, или администратор чата.',
  },
  apology: 'У меня что-то пошло не так. Попробуйте ещё раз.',
  queueFull: (limit) => `Я ещё отвечаю, и в очереди уже ${messages(limit)}. Пришлите это позже или введите /stop.`,
  away: (waitMs, count) =>
    count === 1
      ? `Я был недоступен, и ваше сообщение ждало ${wait(waitMs)}. Отвечаю на него сейчас.`
      : `Я был недоступен. За это время пришло ${messages(count)}, первое ждало ${wait(waitMs)}. Отвечаю на последнее, остальные учту.`,
  busy: 'Сейчас слишком много разговоров. Попробуйте через минуту.',
  modelGone: (gone, used) => `${gone} сейчас недоступна, поэтому отвечает ${used}. Выбрать другую: /model.`,
  noModels: 'Ни одна модель ещё не подключена. Это должен сделать владелец бота.',
  failures: {
    unreachable: (model) => `${model} сейчас не отвечает. Попробуйте чуть позже или выберите другую модель.`,
    tooSlow: (model) => `${model} отвечает слишком долго. Попробуйте ещё раз или выберите другую модель.`,
    rateLimited: (model, waitMs) =>
      `Провайдер ${model} сейчас занят. Попробуйте через ${wait(waitMs)} или выберите другую модель.`,
    tooLong: (model) =>
      `Разговор стал слишком длинным для ${model}. Начните новый (/new) или выберите модель с большим контекстом.`,
    filtered: (model) =>
      `Правила провайдера не позволяют ${model} ответить на это. Переформулируйте или выберите другую модель.`,
    operatorNeeded: {
      key: (model) =>
        `${model} недоступна, пока оператор бота не вмешается: провайдер не принимает ключ. Выберите другую модель.`,
      credit: (model) =>
        `${model} недоступна, пока оператор бота не вмешается: на счёте у провайдера нет средств. Выберите другую модель.`,
    },
    providersSaid: (details) => `Видно только админам:\n${details}`,
    rejected: (model) => `${model} не может обработать это сообщение. Переформулируйте или выберите другую модель.`,
    brokeOff: (model) => `Ответ ${model} оборвался. Нажмите «Повторить», чтобы получить новый.`,
    empty: (model) => `${model} дала пустой ответ. Попробуйте ещё раз или выберите другую модель.`,
    modelGone: (model) => `${model} больше недоступна. Выберите другую модель.`,
    priceUnknown: (model) => `${model} нельзя использовать в рамках бюджета: цена неизвестна. Выберите другую модель.`,
    noVision: (model) => `${model} не видит изображения. Выберите модель, которая видит, или опишите фото словами.`,
    photoTooLarge: (limitMb) => `Фото слишком большое: можно до ${limitMb} МБ.`,
    photoUnavailable: 'Не получилось загрузить фото из Telegram. Попробуйте ещё раз.',
    interrupted: 'Я перезапустился посреди ответа. Нажмите «Повторить», чтобы получить новый.',
    toolEndedProcess:
      'Во время вычислений для этого ответа я перезапустился — возможно, из-за них, поэтому продолжать не стал. Нажмите «Повторить», чтобы получить новый ответ.',
    unconfirmed:
      'Telegram подтвердил не весь ответ: выше может не хватать его части. Нажмите «Повторить», чтобы получить новый.',
    internal: 'У меня что-то пошло не так. Попробуйте ещё раз.',
  },
  models: {
    gone: (model) => `${model} больше недоступна.`,
    isSet: (model) =>
      `В этой группе всем отвечает ${model}: так решили её администраторы (/settings). В других чатах действует ваш выбор.`,
  },
  tasks: russianTasks,
  tools: russianTools,
  inputs: russianInputs,
  groups: russianGroups,
  limits: russianLimits,
  access: {
    banned: 'Владелец этого бота закрыл вам доступ, поэтому я не отвечаю.',
    stranger: (id) =>
      `Это закрытый бот. Если вы знаете его владельца, попросите открыть вам доступ. Ваш id в Telegram: ${id}.`,
    openLinkAgain: 'Доступ есть: открыть ссылку',
  },
};
