import type { Texts } from './english.ts';
import { pluralOf } from './plural.ts';
import { russianGroups } from './russian-groups.ts';
import { russianInputs } from './russian-inputs.ts';
import { russianLimits } from './russian-limits.ts';
import { russianTools } from './russian-tools.ts';
import { russianSize, russianWait as wait } from './russian-units.ts';

const messages = (count: number) =>
  pluralOf('ru', count, { one: 'сообщение', few: 'сообщения', many: 'сообщений', other: 'сообщения' });

/** Shared texts of the bot in Russian. */
export const russian: Texts = {
  locale: 'ru',
  languageName: 'Русский',
  profile: {
    short: 'Разговор с моделями ИИ, картинки от них, хранение файлов со ссылками: много моделей, фото, группы.',
    long: 'Напишите мне, и модель ИИ ответит, слово за словом.\n\nВыбирайте из многих моделей, рисуйте картинки командой /imagine, спрашивайте о фото и документах, присылайте файлы, чтобы получить ссылку, отвечайте на старый ответ, чтобы продолжить с него, или добавьте меня в группу и упомяните.',
  },
  size: russianSize,
  buttons: {
    stop: 'Стоп',
    dropWaiting: (count: number) => `Убрать ожидающие: ${count}`,
    answerAnew: 'Ответить заново',
    retry: 'Повторить',
    otherModel: 'Другая модель',
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
    privateChat: 'Наш личный чат',
    again: 'Ещё раз',
    goOn: 'Дальше',
  },
  untitled: 'Без слов',
  emptyQuestion: 'Да? Напишите вопрос в том же сообщении.',
  stopped: 'Остановлено.',
  nothingToStop: 'Останавливать нечего.',
  staleButton: 'Эта кнопка устарела. Введите команду ещё раз.',
  otherChatButton: 'Эта кнопка из другого чата.',
  foreignButton: 'Это чужая кнопка.',
  foreignStop: 'Остановить это может только тот, кто попросил.',
  movedOn: 'Разговор ушёл дальше. Задайте вопрос ещё раз.',
  answers: {
    thinking: 'Думаю…',
    sources: 'Источники',
    stopped: '⏹ Остановлено',
    stillWriting: 'Я ещё пишу. Подождите немного или нажмите «Стоп».',
    editedEarlier: 'Вы изменили более раннее сообщение. Ответить на него заново и продолжить оттуда?',
    answeredAlready: 'На это уже есть ответ.',
    foreign: 'Это может сделать только тот, кто спросил, или администратор чата.',
  },
  apology: 'У меня что-то пошло не так. Попробуйте ещё раз.',
  queueFull: (limit) => `Я ещё отвечаю, и в очереди уже ${messages(limit)}. Пришлите это позже или введите /stop.`,
  away: (waitMs, count) =>
    count === 1
      ? `Меня не было: ваше сообщение ждало ${wait(waitMs)}. Отвечаю на него сейчас.`
      : `Меня не было. За это время пришло ${messages(count)}, первое ждало ${wait(waitMs)}. Отвечаю на последнее, остальные учту.`,
  busy: 'У меня слишком много разговоров сразу. Попробуйте через минуту.',
  modelGone: (gone, used) => `${gone} сейчас не доступна, поэтому отвечает ${used}. Сменить: /model.`,
  noModels: 'Ни одна модель ещё не подключена. Это должен сделать владелец бота.',
  failures: {
    unreachable: (model) => `${model} сейчас не отвечает. Попробуйте чуть позже или выберите другую модель.`,
    tooSlow: (model) => `${model} отвечает слишком долго. Попробуйте ещё раз или выберите другую модель.`,
    rateLimited: (model, waitMs) =>
      `Провайдер ${model} сейчас занят. Попробуйте через ${wait(waitMs)} или выберите другую модель.`,
    tooLong: (model) =>
      `Разговор стал слишком длинным для ${model}. /new начнёт новый; продолжить может модель с памятью побольше.`,
    filtered: (model) =>
      `Правила провайдера не дают ${model} ответить на это. Скажите другими словами или выберите другую модель.`,
    rejected: (model) => `${model} не может принять это сообщение. Напишите иначе или выберите другую модель.`,
    brokeOff: (model) => `Ответ ${model} оборвался. «Повторить» напишет его заново.`,
    empty: (model) => `${model} дала пустой ответ. Попробуйте ещё раз или выберите другую модель.`,
    modelGone: (model) => `${model} больше не доступна. Выберите другую модель.`,
    blind: (model) => `${model} не видит фото. Выберите модель, которая видит, или опишите фото словами.`,
    photoTooLarge: (limitMb) => `Фото слишком большое: я беру до ${limitMb} МБ.`,
    photoUnavailable: 'Не получилось загрузить фото из Telegram. Попробуйте ещё раз.',
    interrupted: 'Мне пришлось перезапуститься посреди ответа. «Повторить» напишет его заново.',
    unconfirmed: 'Telegram не подтвердил весь ответ: выше может не хватать его части. «Повторить» напишет его заново.',
    internal: 'У меня что-то пошло не так. Попробуйте ещё раз.',
  },
  models: {
    gone: (model) => `${model} больше не доступна.`,
  },
  tools: russianTools,
  inputs: russianInputs,
  groups: russianGroups,
  limits: russianLimits,
  access: {
    banned: 'Владелец этого бота закрыл вам доступ, поэтому я не отвечаю.',
    stranger: (id) =>
      `Этот бот не для всех. Если вы знаете его владельца, попросите открыть вам доступ: ваш id в Telegram – ${id}.`,
    openLinkAgain: 'Меня впустили: открыть ссылку',
  },
};
