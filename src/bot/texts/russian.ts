import type { Texts } from './english.ts';
import { pluralOf } from './plural.ts';
import { russianGroups } from './russian-groups.ts';
import { russianInputs } from './russian-inputs.ts';
import { russianLimits } from './russian-limits.ts';
import { russianPersonalData } from './russian-personal-data.ts';
import { russianStopping } from './russian-stopping.ts';
import { russianTools } from './russian-tools.ts';
import { russianSize, russianWait as wait } from './russian-units.ts';
import { russianVoice } from './russian-voice.ts';

const messages = (count: number) =>
  pluralOf('ru', count, { one: 'сообщение', few: 'сообщения', many: 'сообщений', other: 'сообщения' });

const pictures = (count: number) =>
  pluralOf('ru', count, { one: 'картинка', few: 'картинки', many: 'картинок', other: 'картинки' });

/** The bot's own words in Russian. */
export const russian: Texts = {
  locale: 'ru',
  languageName: 'Русский',
  commands: {
    imagine: 'Нарисовать картинку',
    summarise: 'Суть сообщения, в ответ на него',
    stop: 'Остановить ответ, рисование, файл',
    privacy: 'Что я храню, как забрать и удалить',
  },
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
    vary: 'Вариант',
    ratio: 'Формат',
    fullSize: 'Оригинал',
  },
  untitled: 'Без слов',
  unknownCommand: (command) => `Я не знаю команду ${command}. Что я умею: /help.`,
  unreadable: ({ listens }) =>
    `Я понимаю текст, фото${listens ? ', голосовые' : ''} и документы и храню другие файлы. Пришлите, пожалуйста, в таком виде.`,
  onePhotoOfAlbum: 'Я меняю по одной картинке за раз и взял из альбома первую.',
  emptyQuestion: 'Да? Напишите вопрос в том же сообщении.',
  stopped: 'Остановлено.',
  droppedWaiting: (count: number) => `Больше не ждут ответа: ${messages(count)}.`,
  nothingToStop: 'Останавливать нечего.',
  stalePress: 'Эта кнопка устарела. Введите команду ещё раз.',
  otherChatPress: 'Эта кнопка из другого чата.',
  foreignPress: 'Это чужая кнопка.',
  foreignStop: 'Остановить это может только тот, кто попросил.',
  movedOn: 'Разговор ушёл дальше. Задайте вопрос ещё раз.',
  answers: {
    anotherOne: 'Пишу другой ответ…',
    goingOn: 'Продолжаю…',
    thinking: 'Думаю…',
    sources: 'Источники',
    stopped: '⏹ Остановлено',
    stillWriting: 'Я ещё пишу. Подождите немного или нажмите «Стоп».',
    changed: 'Здесь только что всё изменилось. Нажмите ещё раз.',
    movedOn: 'Разговор ушёл дальше. Чтобы продолжить отсюда, ответьте на это сообщение.',
    editedEarlier: 'Вы изменили более раннее сообщение. Ответить на него заново и продолжить оттуда?',
    answeredAlready: 'На это уже есть ответ.',
    foreign: 'Это может сделать только тот, кто спросил, или администратор чата.',
    variant: (number: number, count: number, model: string) => `Ответ ${number} из ${count}, написала модель ${model}.`,
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
  feedback: { up: 'Спасибо за отзыв.', down: 'Спасибо за отзыв.', takenBack: 'Отзыв убран.' },
  cancelled: 'Отменено.',
  inline: {
    ask: (model) => `Спросить ${model}`,
    answer: 'Ответить',
    waiting: 'Ответ появится здесь. Если его нет, нажмите кнопку.',
    goOn: 'Продолжить в чате',
    cut: '… Продолжение – в нашем чате.',
    outcomes: {
      begun: 'Пишу.',
      known: 'Уже пишу.',
      busy: 'Сейчас слишком много дел. Нажмите ещё раз через минуту.',
      'no-model': 'Ни одна модель ещё не подключена. Её должен добавить владелец бота.',
    },
  },
  stopping: russianStopping,
  tools: russianTools,
  inputs: russianInputs,
  groups: russianGroups,
  voice: russianVoice,
  limits: russianLimits,
  access: {
    banned: 'Владелец этого бота закрыл вам доступ, поэтому я не отвечаю.',
    stranger: (id) =>
      `Этот бот не для всех. Если вы знаете его владельца, попросите открыть вам доступ: ваш id в Telegram – ${id}.`,
    openLinkAgain: 'Меня впустили: открыть ссылку',
  },
  personalData: russianPersonalData,
  imagine: {
    askPrompt: 'Что нарисовать? Опишите картинку.',
    askEdit: 'Что изменить на этой картинке?',
    askRatio: 'Какой формат? Ширина к высоте.',
    askModel: 'Какая модель будет рисовать?',
    noModels: 'Ни одна рисующая модель не подключена. Это должен сделать владелец бота.',
    noneEdits: 'Ни одна из моделей здесь не умеет менять картинки. /imagine с описанием нарисует новую.',
    noPhoto: 'Я умею менять только фото и картинки. Пришлите, пожалуйста, в таком виде.',
    drawing: (model, seconds) => (seconds < 5 ? `Рисует ${model}…` : `Рисует ${model}… ${seconds} с`),
    waiting: (ahead, model) =>
      ahead === 0 ? `Ждёт свободного места… ${model}` : `Ждёт: перед этой ещё ${pictures(ahead)} от вас. ${model}`,
    album: (count) => `${pictures(count)}. Что дальше?`,
    seeds: (_count, seeds) => `seed ${seeds}`,
    fewer: (made, wanted) => `получилось только ${made} из ${wanted}`,
    busy: 'У меня слишком много картинок сразу. Попробуйте через минуту.',
    atIt: 'Я уже рисую.',
    gone: 'Этой картинки у меня больше нет: я храню их несколько дней.',
    fileTooLarge: (sizeMb) => `Файл занимает ${sizeMb} МБ, а Telegram берёт у меня до 50 МБ.`,
    fileFailed: 'Не получилось отправить файл. Попробуйте ещё раз.',
    wrong: {
      flag: (flag) => `Я не знаю ${flag}. Можно так: --ratio 16:9, --model имя, --n 4 и --seed 7.`,
      ratio: (value, possible) =>
        value === '' ? `Какой формат? Можно: ${possible}.` : `Формата ${value} нет. Можно: ${possible}.`,
      model: 'Какая модель? Напишите после --model имя или его часть.',
      count: (value) =>
        value === '' ? 'Сколько картинок? Напишите после --n число от 1 до 10.' : '--n должно быть от 1 до 10.',
      seed: (value) =>
        value === ''
          ? 'Какой seed? Напишите после --seed целое число от 0 до 2147483647.'
          : '--seed должно быть целым числом от 0 до 2147483647.',
      tooLong: (length, limit) =>
        `Слишком длинно, символов: ${length}, а можно не больше ${limit}. Ничего не нарисовано.`,
      severalModels: (name, models) =>
        `«${name}» подходит к нескольким моделям: ${models}. Напишите больше букв имени.`,
      noSuchModel: (name, models) => `Нет рисующей модели с «${name}» в имени. Есть: ${models}.`,
    },
    failures: {
      tooLong: (model) => `Описание слишком длинное для ${model}. Сократите его или выберите другую модель.`,
      filtered: (model) =>
        `Правила провайдера не дают ${model} это нарисовать. Скажите другими словами или выберите другую модель.`,
      rejected: (model) => `${model} не может это нарисовать. Опишите иначе или выберите другую модель.`,
      cannotEdit: (model) => `${model} не умеет менять картинки. Выберите модель, которая умеет.`,
      unreadable: 'Не получилось прочесть эту картинку: она испорчена или слишком велика. Пришлите другую.',
      sourceGone: 'Картинки, которую надо изменить, у меня больше нет. Пришлите её как фото с подписью /imagine.',
      queueFull: 'Слишком много ваших картинок уже ждут. Попробуйте, когда часть из них будет готова.',
      interrupted: 'Мне пришлось перезапуститься во время рисования. «Ещё раз» нарисует это заново.',
      undelivered:
        'Мне пришлось перезапуститься во время отправки. «Оригинал» пришлёт файл, «Ещё раз» нарисует заново.',
      refused: 'Картинка нарисована, но Telegram её не принимает.',
      unclear: 'Картинка нарисована, но Telegram не говорит, дошла ли она.',
    },
  },
};
