import { defineTexts } from '../../../texts/define-texts.ts';
import { pluralOf } from '../../../texts/plural.ts';

const englishDays = (count: number) => pluralOf('en', count, { one: 'day', other: 'days' });
const russianDays = (count: number) => pluralOf('ru', count, { one: 'день', few: 'дня', many: 'дней', other: 'дня' });

/** Facts about this service that decide what `/privacy` says. */
export interface PrivacyFacts {
  /** Undefined: messages stay until they are deleted. */
  readonly retentionDays: number | undefined;
  /** Telegram id of the user; undefined in groups. */
  readonly ownId: number | undefined;
  readonly isSearchedByMeaning: boolean;
  /** Names of users are stored as Telegram shows them. */
  readonly storesNames: boolean;
  /** Only users whom admins let in may use the service. */
  readonly isPrivate: boolean;
}

export const texts = defineTexts({
  en: {
    command: 'Your data: see, export, delete',
    onlyPrivate: 'Your data is private. Send me this command in our private chat.',
    privacy: ({ retentionDays, ownId, isSearchedByMeaning, storesNames, isPrivate }: PrivacyFacts) =>
      [
        'What I store: until you use /forget, or for the time that is named',
        `• Your messages and the answers, so that conversations can continue${retentionDays === undefined ? '' : `: ${englishDays(retentionDays)}`}.`,
        '• In groups only messages addressed to me. If an admin has turned on recent messages, which I announce to the group: also the last 50 other messages, for a day.',
        '• What you type after my name in other chats: an hour.',
        '• References to your photos, which stay at Telegram.',
        '• An index in which /find and models search your messages and documents. It goes with them.',
        '• Notes in my memory, with the message each comes from: until you delete them in /memory. I show them to models in our private chat only. Notes of a group belong to the group: until someone deletes them or I am removed from it.',
        '• Images I create: 7 days. Your requests for them: up to 30 days.',
        '• Your reminders and tasks with the history of their runs: until you delete them in /tasks.',
        '• Your files and shared pages: encrypted, until they expire or you delete them. The text of documents is stored with them, for /find.',
        '• Which models you used and when, with tokens and cost; your 👍 and 👎; your settings and personas.',
        `• Your Telegram id${storesNames ? ', your name and @username as Telegram shows them' : ''}, and whether you have blocked me. Admins may write a note about who you are; only they see it, and /export shows it to you.`,
        ...(isPrivate
          ? [
              '• How you got access: your request with your name, until a day after the decision, a week without one; that you are in a group whose members may use me, an hour; which invitation you used, until it ends, also after /forget, and the admins’ log keeps your id.',
            ]
          : []),
        '• What admins choose for a group, including its instructions: this belongs to the group and stays until an admin changes it.',
        '• Whether you got an announcement from the operator: while it is being sent.',
        '• API keys: a fingerprint, your rules for them, when and for what each was last used, and the networks that used it. Requests made with them are passed on, not stored; answers to those with an Idempotency-Key are kept for a day.',
        '• Where you are signed in to the console: your browser and when you used it, until the session ends.',
        '• Messages I failed to process: 7 days.',
        '',
        'Who sees it',
        '• Your model’s provider gets what it needs to answer: the conversation, your instructions, your photos. Its own privacy rules apply.',
        ...(isSearchedByMeaning
          ? [
              '• The provider of an embedding model gets your messages and documents too, so that /find finds them by their meaning.',
            ]
          : []),
        '• Links in your questions are opened from the server I run on: those sites see the server, not you.',
        '• The operator of this bot has access to its database and could read it.',
        '• Telegram delivers every message. Bots have no secret chats.',
        '',
        ...(ownId === undefined ? [] : [`Your Telegram id: ${ownId}`]),
        '/export sends you everything, /forget deletes it.',
      ].join('\n'),
    exported: (linkedCount: number) =>
      linkedCount === 0
        ? 'Everything I have stored about you.'
        : `Everything I have stored about you. ${linkedCount === 1 ? 'One file is' : `${linkedCount} files are`} not included, but linked in files.csv.`,
    /** @param others lines about other data. */
    askForget: (conversations: number, files: number, others: string) =>
      [
        'Delete everything I know about you? This can’t be undone, covers all chats, and stops what I am doing for you.',
        '',
        `• ${pluralOf('en', conversations, { one: 'conversation', other: 'conversations' })} and your images: deleted. In groups, your messages and the answers to them are deleted.`,
        `• ${pluralOf('en', files, { one: 'file', other: 'files' })} you have saved: deleted, and their links stop working.`,
        others,
        '• Your API keys stop working, and your usage is deleted.',
        '• Your user number is deleted within a day, or at the end of the month if you have a budget. A ban stays.',
        '',
        'Telegram keeps the messages in this chat: delete the chat there. If you want a copy, use /export first.',
      ].join('\n'),
    forgetNotes: (memories: number) =>
      `• ${pluralOf('en', memories, { one: 'note', other: 'notes' })} in my memory: deleted, including those you have added in groups.`,
    forgetTasks: (tasks: number) =>
      `• ${pluralOf('en', tasks, { one: 'task', other: 'tasks' })} and reminders: deleted, in groups as well.`,
    forgetNow: 'Yes, forget everything',
    forgotten: 'Done. I have deleted everything about you. If you write again, we start from scratch.',
  },
  ru: {
    command: 'Что я храню, как забрать и удалить',
    onlyPrivate: 'Ваши данные видны только вам. Напишите мне эту команду в личном чате.',
    privacy: ({ retentionDays, ownId, isSearchedByMeaning, storesNames, isPrivate }) =>
      [
        'Что я храню: до команды /forget или столько, сколько указано',
        `• То, что вы мне пишете, и ответы моделей, чтобы разговор мог продолжаться${retentionDays === undefined ? '' : `: ${russianDays(retentionDays)}`}.`,
        '• В группах — только сообщения, обращённые ко мне. Если администратор включил хранение недавних сообщений, о чём я сообщаю в группе, — ещё и последние 50 других сообщений, один день.',
        '• То, что вы набираете после моего имени в других чатах: час.',
        '• Ссылки на ваши фото: сами фото остаются в Telegram.',
        '• Индекс, по которому /find и модели ищут в ваших сообщениях и документах: он удаляется вместе с ними.',
        '• Записи в моей памяти и то, из какого сообщения каждая: пока вы не удалите их в /memory. Моделям я показываю их только в нашем личном чате. Записи группы принадлежат группе и хранятся, пока их кто-нибудь не удалит или меня не удалят из группы.',
        '• Картинки, которые я создаю: 7 дней. Ваши запросы на них: до 30 дней.',
        '• Ваши напоминания и задачи с историей запусков: пока вы не удалите их в /tasks.',
        '• Ваши файлы и страницы /share: зашифрованными, пока не истечёт срок или вы их не удалите. Текст документов хранится вместе с ними, для /find.',
        '• Когда и какими моделями вы пользовались, с числом токенов и стоимостью; ваши 👍 и 👎; ваши настройки и роли.',
        `• Ваш id в Telegram${storesNames ? ', ваше имя и @username, как их показывает Telegram,' : ''} и то, заблокировали ли вы меня. Администраторы могут записать, кто вы; видят это только они, а вам покажет /export.`,
        ...(isPrivate
          ? [
              '• Как вы получили доступ: просьбу с вашим именем — ещё день после решения, не дольше недели без него; то, что вы в группе, участникам которой я открыт, — час; каким приглашением вы воспользовались — пока оно не закончится, и после /forget; ваш id остаётся в журнале администраторов.',
            ]
          : []),
        '• То, что администраторы выбрали для группы, включая инструкцию: это принадлежит группе и хранится, пока администратор это не изменит.',
        '• Получили ли вы объявление владельца: пока оно рассылается.',
        '• От ключей API — отпечаток, ваши правила для них, когда и для чего они использовались в последний раз и из каких сетей. То, что с ними отправляют программы, передаётся дальше и не хранится; ответы на запросы с заголовком Idempotency-Key хранятся сутки.',
        '• Где вы вошли в консоль: ваш браузер и время, пока сессия не закончится.',
        '• Сообщения, которые мне не удалось обработать: 7 дней.',
        '',
        'Кто это видит',
        '• Провайдер выбранной вами модели получает то, на что она отвечает: разговор, ваши инструкции, ваши фото. Там действуют его правила.',
        ...(isSearchedByMeaning
          ? ['• Ваши сообщения и документы получает и провайдер модели эмбеддингов: по ней /find ищет по смыслу.']
          : []),
        '• Ссылки из вопросов открываются с сервера, на котором я работаю: сайты видят его, а не вас.',
        '• У владельца этого бота есть доступ к базе данных, и он может её прочитать.',
        '• Все сообщения передаёт Telegram. Секретных чатов у ботов нет.',
        '',
        ...(ownId === undefined ? [] : [`Ваш id в Telegram: ${ownId}`]),
        '/export пришлёт вам всё, /forget всё удалит.',
      ].join('\n'),
    exported: (linkedCount: number) =>
      linkedCount === 0
        ? 'Всё, что я о вас храню.'
        : `Всё, что я о вас храню. Не вошло файлов: ${linkedCount}, ссылки на них в files.csv.`,
    askForget: (conversations, files, others) =>
      [
        'Удалить всё, что я о вас знаю? Вернуть это будет нельзя. Это касается всех чатов, и то, что я для вас делаю, прекратится.',
        '',
        `• ${pluralOf('ru', conversations, { one: 'разговор', few: 'разговора', many: 'разговоров', other: 'разговора' })} и ваши картинки будут удалены. В группах будут удалены ваши сообщения и ответы на них.`,
        `• ${pluralOf('ru', files, { one: 'сохранённый файл', few: 'сохранённых файла', many: 'сохранённых файлов', other: 'сохранённого файла' })}: будет удалено, ссылки перестанут работать.`,
        others,
        '• Ваши ключи API перестанут работать, а сведения о расходе будут удалены.',
        '• В течение суток, а при бюджете – в конце месяца будет удалён и ваш номер пользователя. Блокировка, если она есть, останется.',
        '',
        'Сообщения в этом чате хранит Telegram: удалите чат там. Если нужна копия, сначала /export.',
      ].join('\n'),
    forgetNotes: (memories) =>
      `• ${pluralOf('ru', memories, { one: 'запись', few: 'записи', many: 'записей', other: 'записи' })} в моей памяти, включая добавленные вами в группах: будет удалено.`,
    forgetTasks: (tasks) =>
      `• ${pluralOf('ru', tasks, { one: 'задача', few: 'задачи', many: 'задач', other: 'задачи' })} и напоминания, в том числе в группах: будут удалены.`,
    forgetNow: 'Да, забыть всё',
    forgotten: 'Готово: всё о вас удалено. Если напишете снова, начнём сначала.',
  },
});
