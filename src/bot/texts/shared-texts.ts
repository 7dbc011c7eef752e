import { defineTexts } from '../../texts/define-texts.ts';
import { pluralOf } from '../../texts/plural.ts';
import { englishSize, englishUsage, englishWait, russianSize, russianUsage, russianWait } from '../../texts/units.ts';

/** Capabilities for speech, depending on the connected models. */
export interface InputCapabilities {
  /** Transcribes voice messages. */
  readonly hasSpeechToText: boolean;
  /** Reads answers aloud. */
  readonly hasTextToSpeech: boolean;
}

const englishMessages = (count: number) => pluralOf('en', count, { one: 'message', other: 'messages' });
const russianMessages = (count: number) =>
  pluralOf('ru', count, { one: 'сообщение', few: 'сообщения', many: 'сообщений', other: 'сообщения' });

/** Texts that features share, except those with a file of their own. */
export const sharedTexts = defineTexts({
  en: {
    languageName: 'English',
    profile: {
      short: 'Chat with many AI models that remember, remind and search; images, photos, documents, files by link.',
      long: 'Write to me and an AI model answers, word by word.\n\nChoose from many models, create images with /imagine, ask about photos and documents, let me remember, remind and search, send a file to get a link to it, branch a conversation by replying to an earlier answer, or add me to a group and mention me.',
    },
    /** Alert for the owner of an API key. */
    setByAdmin: 'An admin has set this. Only an admin can change it.',
    /** `2.4 MiB`. */
    size: englishSize,
    buttons: {
      stop: 'Stop',
      stopAll: 'Stop all',
      dropWaiting: (count: number) => `Discard ${count} waiting`,
      answerAnew: 'Answer again',
      retry: 'Retry',
      otherModel: 'Other model',
      compare: 'Compare',
      chooseModel: 'Choose a model',
      copyLink: 'Copy link',
      search: 'Search',
      close: 'Close',
      cancel: 'Cancel',
      back: 'Back',
      undo: 'Undo',
      more: 'More',
      language: 'Language',
      model: 'Model',
      systemPrompt: 'Instructions',
      newConversation: 'New conversation',
      privateChat: 'Open private chat',
      again: 'Again',
      continue: 'Continue',
      memory: 'Memory',
      /** Below answers of several models to one question. */
      continueWith: 'Continue with this one',
      continuesHere: 'Continues from here',
    },
    /** Title of a conversation without text. */
    untitled: 'Untitled',
    emptyQuestion: 'Yes? Write your question in the same message.',
    stopped: 'Stopped.',
    nothingToStop: 'There is nothing to stop.',
    staleButton: 'This button has expired. Please send the command again.',
    otherChatButton: 'This button belongs to another chat.',
    foreignButton: 'This button belongs to someone else.',
    foreignStop: 'Only the user who asked can stop this.',
    movedOn: 'The conversation has moved on. Please send the question again.',
    answers: {
      thinking: 'Thinking…',
      sources: 'Sources',
      /** Below an answer that the user has stopped. */
      stopped: '⏹ Stopped',
      usage: englishUsage,
      stillWriting: 'I’m still writing. Wait a moment, or press Stop.',
      editedEarlier: 'You edited an earlier message. Should I answer it again and continue from there?',
      answeredAlready: 'This has already been answered.',
      foreign: 'Only the user who asked, or an admin of this chat, can do this.',
    },
    apology: 'Something went wrong on my side. Please try again.',
    queueFull: (limit: number) =>
      `I’m still answering, with ${englishMessages(limit)} already waiting. Send this one again later, or use /stop.`,
    away: (waitMs: number, count: number) =>
      count === 1
        ? `I was offline, and your message waited for ${englishWait(waitMs)}. I’m answering it now.`
        : `I was offline: ${englishMessages(count)} arrived, and the first one waited for ${englishWait(waitMs)}. I’m answering the last one and keeping the others in mind.`,
    busy: 'I have too many conversations right now. Please try again in a minute.',
    modelGone: (gone: string, used: string) =>
      `${gone} is not available right now, so ${used} is answering. To choose another model, use /model.`,
    noModels: 'No model is connected yet. The operator of this bot has to add one.',
    failures: {
      unreachable: (model: string) =>
        `${model} can’t be reached right now. Try again in a moment, or choose another model.`,
      tooSlow: (model: string) => `${model} took too long. Try again, or choose another model.`,
      rateLimited: (model: string, waitMs: number) =>
        `The provider of ${model} is busy. Try again in ${englishWait(waitMs)}, or choose another model.`,
      tooLong: (model: string) =>
        `This conversation has become too long for ${model}. Start a new one with /new, or choose a model with a larger context window.`,
      filtered: (model: string) =>
        `The provider of ${model} won’t answer this because of its content rules. Rephrase it, or choose another model.`,
      operatorNeeded: {
        key: (model: string) =>
          `${model} can’t be used until the operator of this bot acts: its provider refuses the key. Choose another model.`,
        credit: (model: string) =>
          `${model} can’t be used until the operator of this bot acts: the account at its provider has no credit. Choose another model.`,
      },
      providersSaid: (details: string) => `For admins only:\n${details}`,
      rejected: (model: string) => `${model} can’t process this message. Rephrase it, or choose another model.`,
      brokeOff: (model: string) => `${model} stopped in the middle of its answer. Press Retry for a new one.`,
      empty: (model: string) => `${model} returned an empty answer. Try again, or choose another model.`,
      modelGone: (model: string) => `${model} is no longer available. Choose another model.`,
      priceUnknown: (model: string) =>
        `${model} can’t be used within a budget: its price is not known. Choose another model.`,
      noVision: (model: string) =>
        `${model} can’t see images. Choose a model that can, or describe the image in words.`,
      photoTooLarge: (limitMb: number) => `This photo is too large: the limit is ${limitMb} MB.`,
      photoUnavailable: 'I could not load the photo from Telegram. Please try again.',
      interrupted: 'I restarted in the middle of this answer. Press Retry for a new one.',
      toolEndedProcess:
        'I restarted while a tool was computing for this answer, and perhaps because of that, so I gave it up. Press Retry for a new one.',
      unconfirmed:
        'Telegram did not confirm the whole answer, so part of it may be missing above. Press Retry for a new one.',
      internal: 'Something went wrong on my side. Please try again.',
    },
    models: {
      gone: (model: string) => `${model} is no longer available.`,
      isSet: (model: string) =>
        `Admins of this group chose ${model} for everyone (/settings). Elsewhere your own choice applies.`,
    },
    access: {
      banned: 'The operator of this bot has banned you, so I can’t answer.',
      stranger: (id: string) =>
        `This bot is private. Press the button, and its admins get your name and your Telegram id, ${id}. I delete them a day after the decision, a week after you asked at the latest; the admins’ log keeps the decision with your id.`,
      /** There are no admins to ask. */
      strangerAlone: (id: string) =>
        `This bot is private. If you know its operator, ask for access: your Telegram id is ${id}.`,
      ask: 'Ask for access',
      asked: 'I have asked the admins. When they let you in, I’ll write to you here.',
      askedAlready: 'You have asked already. Please wait for an answer; you can ask once a day.',
      tooManyRequests: 'Too many people are waiting for an answer. Please try again tomorrow.',
      hasAccess: 'You have access. Just write to me.',
      invitationOver: 'This invitation is used up, expired or withdrawn.',
      tooManyInvitations:
        'You have opened 5 invitations that do not work, so I don’t check this one. Open it again in an hour.',
      openLinkAgain: 'I have access now: open the link again',
    },
  },
  ru: {
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
      continue: 'Дальше',
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
    queueFull: (limit) =>
      `Я ещё отвечаю, и в очереди уже ${russianMessages(limit)}. Пришлите это позже или введите /stop.`,
    away: (waitMs, count) =>
      count === 1
        ? `Я был недоступен, и ваше сообщение ждало ${russianWait(waitMs)}. Отвечаю на него сейчас.`
        : `Я был недоступен. За это время пришло ${russianMessages(count)}, первое ждало ${russianWait(waitMs)}. Отвечаю на последнее, остальные учту.`,
    busy: 'Сейчас слишком много разговоров. Попробуйте через минуту.',
    modelGone: (gone, used) => `${gone} сейчас недоступна, поэтому отвечает ${used}. Выбрать другую: /model.`,
    noModels: 'Ни одна модель ещё не подключена. Это должен сделать владелец бота.',
    failures: {
      unreachable: (model) => `${model} сейчас не отвечает. Попробуйте чуть позже или выберите другую модель.`,
      tooSlow: (model) => `${model} отвечает слишком долго. Попробуйте ещё раз или выберите другую модель.`,
      rateLimited: (model, waitMs) =>
        `Провайдер ${model} сейчас занят. Попробуйте через ${russianWait(waitMs)} или выберите другую модель.`,
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
      priceUnknown: (model) =>
        `${model} нельзя использовать в рамках бюджета: цена неизвестна. Выберите другую модель.`,
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
    access: {
      banned: 'Владелец этого бота закрыл вам доступ, поэтому я не отвечаю.',
      stranger: (id) =>
        `Это закрытый бот. Нажмите кнопку, и его администраторы получат ваше имя и id в Telegram: ${id}. Я удалю их через день после решения, самое позднее через неделю после просьбы; в журнале администраторов останется решение с вашим id.`,
      strangerAlone: (id) =>
        `Это закрытый бот. Если вы знаете его владельца, попросите открыть вам доступ. Ваш id в Telegram: ${id}.`,
      ask: 'Попросить доступ',
      asked: 'Я передал вашу просьбу администраторам. Когда они откроют доступ, я напишу вам сюда.',
      askedAlready: 'Вы уже просили. Дождитесь ответа: просить можно раз в день.',
      tooManyRequests: 'Слишком многие ждут ответа. Попробуйте, пожалуйста, завтра.',
      hasAccess: 'Доступ открыт. Просто напишите мне.',
      invitationOver: 'Это приглашение использовано, истекло или отозвано.',
      tooManyInvitations: 'Вы открыли 5 недействительных приглашений, это я не проверяю. Откройте его снова через час.',
      openLinkAgain: 'Доступ есть: открыть ссылку',
    },
  },
});
