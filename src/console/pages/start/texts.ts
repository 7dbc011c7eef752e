import { defineTexts } from '../../../texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    running: 'Switchboard is running',
    versions: (version: string, kind: 'embedded' | 'server', database: string) =>
      `Version ${version}, with ${kind === 'embedded' ? 'an embedded Postgres' : 'a Postgres server'} (${database}).`,
    models: (count: number, chat: string | null, image: string | null) =>
      `Models: ${count}. Default for chats: ${chat ?? 'none'}; for images: ${image ?? 'none'}.`,
    playground: 'Playground',
    playgroundBody: 'A simulated Telegram on this machine. The bot in it is the real one.',
    openPlayground: 'Open the playground',
    api: 'API',
    apiBody: 'OpenAI clients use the same base address. Copy this request into a terminal:',
    example: 'Request with curl',
    createKey: 'Create a key',
    keyLabel: 'first steps',
    keyCreated: 'The request above has your new key. It is shown only now; the page API keys revokes it.',
    universalKey:
      'SWITCHBOARD_KEY is the universal key, from a file of the service. For a program, or if the service runs in a container, create a key:',
    universalKeyConfigured: 'SWITCHBOARD_KEY is the value of UNIVERSAL_API_KEY. For a program, create a key:',
    universalKeyLost:
      'The universal key was created by an earlier version, which did not store it in a file. `npm start -- --rotate-universal-key` creates a new one. For a program, create a key:',
    noUniversalKey: 'SWITCHBOARD_KEY is an API key. Create one, and it appears in the request:',
    providers: 'Providers',
    provider: (name: string, models: number) => `${name}: ${models} ${models === 1 ? 'model' : 'models'}.`,
    demonstration: 'The models are a demonstration with prepared answers, until a provider is connected.',
    connect: 'To connect another one, put its key into .env and restart. Several can be used at once.',
    variables: 'Settings of the providers',
    providerName: 'Provider',
    variable: 'Setting',
    ownBot: 'Set up your own bot',
    ownBotBody:
      'Each step asks Telegram or the provider. Nothing is stored: at the end you get lines for the file .env.',
    check: 'Check',
    checking: 'Checking…',
    token: 'Token',
    tokenLabel: 'Bot token',
    newBot: 'Send /newbot in Telegram to',
    tokenHint: 'The answer contains a token like 123456789:AAE…',
    tokenWorks: (username: string) => `Token accepted: @${username}.`,
    tokenRefused: 'Telegram does not accept this token: it is mistyped, or was revoked in @BotFather.',
    telegramDown: (reason: string) =>
      `Telegram can’t be reached. Does this machine reach api.telegram.org? Check again later. (${reason})`,
    tokenFirst: 'Needs a token that works.',
    delivery: 'Updates',
    deliveryLabel: 'How messages reach the bot',
    polling: 'Long polling',
    webhook: 'Webhook',
    pollingWorks: 'Works everywhere, without a public address.',
    publicUrl: 'Public address of the service',
    publicUrlHint: 'Such as https://bot.example.com',
    webhookWorks: 'Telegram can send updates to this address, if it reaches this service.',
    needsHttps: 'A webhook needs an address that begins with https://, on port 443, 80, 88 or 8443.',
    otherWebhook: (host: string) =>
      `Telegram now sends the updates of this bot to ${host}. That service gets none after your start.`,
    privacy: 'Groups',
    privacyOn:
      'Privacy mode is on: in groups the bot gets only commands and replies. For mentions, switch it off (@BotFather, /setprivacy), then remove the bot from its groups and add it again.',
    privacyOff: 'Privacy mode is off: the bot also sees mentions in groups.',
    storage: 'Files (optional)',
    storageBody:
      'Files are stored on the disk, or in a private Telegram channel. For a channel, add the bot as an administrator who may post and delete messages.',
    channelLabel: 'Id of the channel',
    channelHint: 'Like -1001234567890. A link to a message, t.me/c/1234567890/5, has the number after -100.',
    channelWorks: (title: string) => `The bot can store files in “${title}”.`,
    channelProblems: {
      not_a_channel: () => 'This is not a channel. Take a private channel that is used for nothing else.',
      not_an_administrator: (bot: string) =>
        `@${bot} is not an administrator. Add it in the settings of the channel, Administrators.`,
      may_not_post: (bot: string) =>
        `@${bot} lacks the right to post messages. Give it in the settings of the channel, Administrators.`,
      may_not_delete: (bot: string) =>
        `@${bot} lacks the right to delete messages, so deleted files would stay. Give it in the settings of the channel, Administrators.`,
      unknown: (bot: string) => `The id is wrong, or @${bot} is not in the channel. Add it as an administrator.`,
      no_answer: () => 'Telegram can’t be reached. Check again later.',
    },
    telegramSays: (words: string | null) => (words === null ? '' : `(${words})`),
    providerKey: 'Models',
    freeTiers: 'Keys with a free tier:',
    keyField: 'Key of the provider',
    keyHint: (variable: string) => `Becomes ${variable}.`,
    keyWorks: (models: number) => `The provider answers. Models: ${models}.`,
    keyFails: (reason: string) =>
      `The provider lists no models with this key. Check provider and key, and take a new key if need be. (${reason})`,
    settings: 'Lines for .env',
    settingsEmpty: 'They appear here as soon as a step has succeeded.',
    settingsBody:
      'Copy them into the file .env in the folder of the service. Stop the service with Ctrl+C, then run npm start. Write /privacy to your bot: it shows your Telegram id for ADMIN_IDS. Everyone who finds the bot can use it, unless ALLOWED_IDS is set.',
  },
  ru: {
    running: 'Switchboard работает',
    versions: (version, kind, database) =>
      `Версия ${version}, ${kind === 'embedded' ? 'встроенный Postgres' : 'сервер Postgres'} (${database}).`,
    models: (count, chat, image) =>
      `Моделей: ${count}. По умолчанию для чатов: ${chat ?? 'нет'}; для картинок: ${image ?? 'нет'}.`,
    playground: 'Песочница',
    playgroundBody: 'Имитация Telegram на этой машине. Бот в ней настоящий.',
    openPlayground: 'Открыть песочницу',
    api: 'API',
    apiBody: 'Клиенты OpenAI используют тот же базовый адрес. Скопируйте этот запрос в терминал:',
    example: 'Запрос с curl',
    createKey: 'Создать ключ',
    keyLabel: 'первые шаги',
    keyCreated: 'Новый ключ уже в запросе выше. Он показан только сейчас; отозвать его можно на странице «Ключи API».',
    universalKey:
      'SWITCHBOARD_KEY — универсальный ключ из файла сервиса. Для программы, или если сервис работает в контейнере, создайте ключ:',
    universalKeyConfigured: 'SWITCHBOARD_KEY — значение UNIVERSAL_API_KEY. Для программы создайте ключ:',
    universalKeyLost:
      'Универсальный ключ создала прежняя версия, которая не сохраняла его в файле. Новый создаёт `npm start -- --rotate-universal-key`. Для программы создайте ключ:',
    noUniversalKey: 'SWITCHBOARD_KEY — ключ API. Создайте его, и он появится в запросе:',
    providers: 'Провайдеры',
    provider: (name, models) => `${name}, моделей: ${models}.`,
    demonstration: 'Пока не подключён провайдер, модели отвечают заготовленными ответами: это демонстрация.',
    connect:
      'Чтобы подключить ещё одного, запишите его ключ в .env и перезапустите сервис. Можно использовать сразу несколько.',
    variables: 'Настройки провайдеров',
    providerName: 'Провайдер',
    variable: 'Настройка',
    ownBot: 'Настройка своего бота',
    ownBotBody:
      'Каждый шаг спрашивает Telegram или провайдера. Ничего не сохраняется: в конце вы получите строки для файла .env.',
    check: 'Проверить',
    checking: 'Проверяю…',
    token: 'Токен',
    tokenLabel: 'Токен бота',
    newBot: 'Отправьте /newbot в Telegram боту',
    tokenHint: 'В ответе будет токен вида 123456789:AAE…',
    tokenWorks: (username) => `Это токен бота @${username}.`,
    tokenRefused: 'Telegram не принимает этот токен: в нём опечатка, или его отозвали в @BotFather.',
    telegramDown: (reason) =>
      `Telegram не дал пригодного ответа. Доступен ли с этой машины api.telegram.org? Проверьте ещё раз позже. (${reason})`,
    tokenFirst: 'Нужен работающий токен.',
    delivery: 'Обновления',
    deliveryLabel: 'Как сообщения попадают к боту',
    polling: 'Long polling',
    webhook: 'Вебхук',
    pollingWorks: 'Работает везде, без публичного адреса.',
    publicUrl: 'Публичный адрес сервиса',
    publicUrlHint: 'Например, https://bot.example.com',
    webhookWorks: 'Telegram может присылать обновления на этот адрес, если он ведёт к этому сервису.',
    needsHttps: 'Для вебхука нужен адрес, который начинается с https://, с портом 443, 80, 88 или 8443.',
    otherWebhook: (host) =>
      `Сейчас Telegram присылает обновления этого бота на ${host}. После вашего запуска они туда не придут.`,
    privacy: 'Группы',
    privacyOn:
      'Режим приватности включён: в группах бот получает только команды и ответы. Чтобы он видел упоминания, выключите режим (@BotFather, /setprivacy), затем удалите бота из групп и добавьте заново.',
    privacyOff: 'Режим приватности выключен: бот видит и упоминания в группах.',
    storage: 'Файлы (необязательно)',
    storageBody:
      'Файлы хранятся на диске или в закрытом канале Telegram. Для канала добавьте бота администратором с правом публиковать и удалять сообщения.',
    channelLabel: 'Id канала',
    channelHint: 'Вида -1001234567890. В ссылке на сообщение t.me/c/1234567890/5 это число после -100.',
    channelWorks: (title) => `Бот может хранить файлы в канале «${title}».`,
    channelProblems: {
      not_a_channel: () => 'Это не канал. Возьмите закрытый канал, который больше ни для чего не нужен.',
      not_an_administrator: (bot) =>
        `@${bot} не администратор. Добавьте его в настройках канала, в разделе «Администраторы».`,
      may_not_post: (bot) =>
        `У @${bot} нет права публиковать сообщения. Дайте его в настройках канала, в разделе «Администраторы».`,
      may_not_delete: (bot) =>
        `У @${bot} нет права удалять сообщения, и удалённые файлы оставались бы там. Дайте его в настройках канала, в разделе «Администраторы».`,
      unknown: (bot) => `Неверный id, или @${bot} не добавлен в канал. Добавьте его администратором.`,
      no_answer: () => 'Telegram не дал пригодного ответа. Проверьте ещё раз позже.',
    },
    telegramSays: (words) => (words === null ? '' : `(${words})`),
    providerKey: 'Модели',
    freeTiers: 'Ключи с бесплатным тарифом:',
    keyField: 'Ключ провайдера',
    keyHint: (variable) => `Станет значением ${variable}.`,
    keyWorks: (models) => `Провайдер отвечает. Моделей: ${models}.`,
    keyFails: (reason) =>
      `Провайдер не показывает моделей с этим ключом. Проверьте провайдера и ключ, при необходимости возьмите новый. (${reason})`,
    settings: 'Строки для .env',
    settingsEmpty: 'Они появятся здесь, как только удастся какой-нибудь шаг.',
    settingsBody:
      'Скопируйте их в файл .env в папке сервиса. Остановите сервис (Ctrl+C) и выполните npm start. Отправьте боту /privacy: он покажет ваш Telegram id для ADMIN_IDS. Пользоваться ботом может каждый, кто его найдёт, если не задан ALLOWED_IDS.',
  },
});
