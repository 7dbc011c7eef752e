/** Texts of the page in Russian, by the English ones; `{}` stands for a name or a number. */
const RUSSIAN = {
  Simulator: 'Симулятор',
  'Everything stays on this machine. Nothing is sent to Telegram.':
    'Всё остаётся на этой машине, в Telegram ничего не отправляется.',
  'For the real bot, set': 'Чтобы запустить настоящего бота, задайте',
  in: 'в файле',
  'and start again.': 'и перезапустите сервис.',
  'Switch between light and dark': 'Сменить светлую и тёмную тему',
  'The simulator is not responding. Reconnecting…': 'Симулятор не отвечает. Подключаюсь снова…',
  'Try now': 'Попробовать сейчас',
  'The playground has ended: the service now runs a real bot.':
    'Песочница закончилась: теперь сервис запускает настоящего бота.',
  Chats: 'Чаты',
  'New chat': 'Новый чат',
  'Language of this user’s Telegram app': 'Язык приложения Telegram у этого пользователя',
  'Your language': 'Ваш язык',
  Conversation: 'Переписка',
  'Select a chat to start messaging': 'Выберите чат, чтобы начать переписку',
  'Back to the chats': 'Назад к чатам',
  as: 'от имени',
  'Write as': 'Писать от имени',
  'Writing as': 'Вы пишете как',
  'Chat actions': 'Действия с чатом',
  Topics: 'Темы',
  Messages: 'Сообщения',
  'Go to the newest message': 'К последнему сообщению',
  'Go to the newest message, {} unread': 'К последнему сообщению, непрочитанных: {}',
  'Write a message': 'Написать сообщение',
  Start: 'Начать',
  Commands: 'Команды',
  Names: 'Имена',
  Message: 'Сообщение',
  'The bot’s keyboard': 'Клавиатура бота',
  'Attach files': 'Прикрепить файлы',
  Files: 'Файлы',
  Send: 'Отправить',
  'Drop files here to send them': 'Перетащите сюда файлы, чтобы отправить их',
  'New messages': 'Новые сообщения',
  'The simulator can’t be reached.': 'Симулятор недоступен.',
  'Something went wrong on this page.': 'На этой странице что-то пошло не так.',
  'This message no longer exists.': 'Этого сообщения больше нет.',
  Chat: 'Чат',
  'New topic': 'Новая тема',
  Name: 'Название',
  Create: 'Создать',
  Cancel: 'Отмена',
  Close: 'Закрыть',
  General: 'Общее',
  'Switch topics off': 'Выключить темы',
  'Switch topics on': 'Включить темы',
  'Clear history': 'Очистить историю',
  'Unblock the bot': 'Разблокировать бота',
  'Block the bot': 'Заблокировать бота',
  'Add the bot': 'Добавить бота',
  'Make the bot a regular member': 'Сделать бота обычным участником',
  'Make the bot an administrator': 'Сделать бота администратором',
  'Let the bot read all messages': 'Показывать боту все сообщения',
  'Show the bot only messages addressed to it': 'Показывать боту только обращённые к нему сообщения',
  'Remove the bot': 'Удалить бота',
  'Pinned message': 'Закреплённое сообщение',
  'No messages yet': 'Сообщений пока нет',
  'Edit message': 'Изменение сообщения',
  'Reply to {}': 'Ответ: {}',
  'Cancel editing': 'Не изменять',
  'Cancel reply': 'Не отвечать',
  Reply: 'Ответить',
  Edit: 'Изменить',
  'Copy text': 'Скопировать текст',
  'Show source': 'Показать исходные данные',
  Delete: 'Удалить',
  'React with {}': 'Поставить {}',
  Reactions: 'Реакции',
  'Message actions': 'Действия с сообщением',
  'Copied to the clipboard.': 'Скопировано.',
  'The browser did not allow copying.': 'Браузер не дал скопировать.',
  'This button works in Telegram only.': 'Эта кнопка работает только в Telegram.',
  'Message as in the Bot API': 'Сообщение, как в Bot API',
  'Copy code': 'Скопировать код',
  Copy: 'Скопировать',
  'Hidden text, reveal': 'Скрытый текст, показать',
  'Hidden photo, reveal': 'Скрытое фото, показать',
  'Expand quote': 'Развернуть цитату',
  'Collapse quote': 'Свернуть цитату',
  'Download photo': 'Скачать фото',
  'Close photo': 'Закрыть фото',
  '{} of {}': '{} из {}',
  You: 'Вы',
  '{} is writing': '{}: печатает',
  Thinking: 'Думает',
  Stop: 'Стоп',
  'New user': 'Новый пользователь',
  'Another user who talks to the bot': 'Ещё один пользователь, который пишет боту',
  'New group': 'Новая группа',
  'Several users and the bot': 'Несколько пользователей и бот',
  'New forum': 'Новый форум',
  'A group with topics': 'Группа с темами',
  'New channel': 'Новый канал',
  'Posts that the bot can read and write': 'Записи, которые бот читает и пишет',
  'Kind of chat': 'Вид чата',
  'First name': 'Имя',
  Title: 'Название',
  Language: 'Язык',
  Members: 'Участники',
  'Send the voice message': 'Отправить голосовое сообщение',
  'Record a voice message': 'Записать голосовое сообщение',
  'Recording {}': 'Запись {}',
  'The browser does not allow this page to use the microphone.': 'Браузер не даёт этой странице микрофон.',
  'Inline results': 'Результаты в строке ввода',
  'Write something: the bot answers here as it would in Telegram.':
    'Напишите что-нибудь: бот ответит здесь, как в Telegram.',
  'Mention @{}, reply to it or send a command.': 'Упомяните @{}, ответьте ему или отправьте команду.',
  bot: 'бот',
  'bot, blocked': 'бот, заблокирован',
  Today: 'Сегодня',
  Yesterday: 'Вчера',
  Photo: 'Фото',
  Animation: 'Анимация',
  Video: 'Видео',
  'Video message': 'Видеосообщение',
  'Voice message': 'Голосовое сообщение',
  Audio: 'Аудио',
  Music: 'Музыка',
  Sticker: 'Стикер',
  Location: 'Место',
  Contact: 'Контакт',
  Poll: 'Опрос',
  File: 'Файл',
  'The channel': 'Канал',
  '{} joined the group': 'Теперь в группе: {}',
  '{} left the group': 'Больше не в группе: {}',
  '{} changed the title to “{}”': '{}: новое название «{}»',
  '{} created the group': '{}: группа создана',
  'Channel created': 'Канал создан',
  '{} pinned a message': '{}: сообщение закреплено',
  '{} created the topic “{}”': '{}: новая тема «{}»',
  '{} changed the topic to “{}”': '{}: тема теперь «{}»',
  '{} closed the topic': '{}: тема закрыта',
  '{} opened the topic again': '{}: тема снова открыта',
} as const;

/** An English text of the page. */
export type Text = keyof typeof RUSSIAN;

/** The language of the page: the first of the browser's that it has. */
const LANGUAGE = navigator.languages
  .map((language) => language.slice(0, 2))
  .find((code) => code === 'en' || code === 'ru');

/** Returns a text in the language of the page, with names or numbers in its places. */
export function translate(text: Text, ...names: readonly (string | number)[]): string {
  const words: string = LANGUAGE === 'ru' ? RUSSIAN[text] : text;
  const rest = [...names];
  return words.replaceAll('{}', () => String(rest.shift() ?? ''));
}

const ATTRIBUTES = ['aria-label', 'placeholder', 'title'];

/** Translates the texts of `index.html`. */
export function translatePage(): void {
  if (LANGUAGE !== 'ru') return;
  document.documentElement.lang = LANGUAGE;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent?.trim() ?? '';
    if (isText(text)) node.textContent = node.textContent?.replace(text, translate(text)) ?? '';
  }
  for (const name of ATTRIBUTES) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      const text = element.getAttribute(name) ?? '';
      if (isText(text)) element.setAttribute(name, translate(text));
    }
  }
}

function isText(text: string): text is Text {
  return Object.hasOwn(RUSSIAN, text);
}
