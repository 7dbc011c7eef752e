import { defineTexts } from '../../../texts/define-texts.ts';
import { pluralOf } from '../../../texts/plural.ts';

const englishNotes = (count: number) => pluralOf('en', count, { one: 'note', other: 'notes' });
const russianNotes = (count: number) =>
  pluralOf('ru', count, { one: 'запись', few: 'записи', many: 'записей', other: 'записи' });

export const texts = defineTexts({
  en: {
    command: 'What I remember: list, delete',
    buttons: {
      all: 'All notes',
      add: 'Add',
      turnOn: 'Turn memory on',
      turnOff: 'Turn memory off',
      deleteAll: 'Delete all',
      deleteAllForGood: 'Yes, delete all',
      edit: 'Edit',
      delete: 'Delete',
      source: '💬 Show message',
    },
    /** Lines in settings. */
    isOn: 'Memory: on',
    isOff: 'Memory: off',
    heading: (count: number, limit: number) => `🧠 Memory: ${count} of ${englishNotes(limit)}`,
    empty: '🧠 Nothing is remembered yet.',
    found: (count: number, search: string) => `🧠 ${englishNotes(count)} for “${search}”`,
    noneFound: (search: string) => `🧠 No notes for “${search}”.`,
    on: 'Models read these notes in our private chat, and nowhere else. Tell a model to remember something, or use /remember and a text.',
    off: 'Memory is off: models neither read notes nor add any.',
    groupOn:
      'Models read these notes in this group, and nowhere else. Everyone here can add some by asking, or by /remember and a text; their authors and admins can delete them.',
    groupOff: 'Memory of this group is off. An admin of the group can turn it on:',
    switchedOn:
      'An admin turned on the memory of this group: when you ask me to, I keep notes about the group, and show them to the model when someone here asks something, nowhere else. /memory lists them; authors and admins can delete them.',
    switchedOff: 'The memory of this group is off. Its notes are kept until an admin deletes them in /memory.',
    askSearch: 'What should I look for? Send me a word.',
    askText: 'What should I remember? Send me one sentence.',
    askNewText: 'Send me the new text of this note.',
    tooLong: (length: number, limit: number) =>
      `This has ${length} characters, and a note may have ${limit}. Send me a shorter one.`,
    remembered: (text: string) => `🧠 Remembered: ${text}`,
    known: 'I remember this already.',
    full: (limit: number) => `The memory has ${englishNotes(limit)}, which is the limit. Delete some first.`,
    saved: 'Saved.',
    gone: 'This note no longer exists.',
    onlyAuthor: 'Only the author of a note and admins of this group can change it.',
    /** Asked before a model may change notes after it has read text of others. */
    permission: {
      remember: { question: 'Remember this?', allow: 'Save', refuse: 'Don’t save' },
      forget: { question: 'Forget this note?', allow: 'Forget', refuse: 'Keep it' },
    },
    deleted: (text: string) => `Deleted: ${text}`,
    askDeletion: (count: number) =>
      `Delete ${count === 1 ? 'the only note' : `all ${englishNotes(count)}`}? This can’t be undone.`,
    deletedAll: (count: number) => `${englishNotes(count)} deleted.`,
    fromYou: (moment: string) => `From you, ${moment}`,
    fromMember: (moment: string) => `From another member, ${moment}`,
    fromForeignText:
      'A model wrote it after reading text of others. Answers that use it ask you before they change or send something. Edit it to make it your own.',
    isSource: (text: string) => `This note comes from this message:\n\n${text}`,
    sourceGone: 'The message that it comes from no longer exists.',
    used: '🧠 For this answer the model had these notes:',
    more: (count: number) => `… and ${count} more`,
    deletedSince: (count: number) => `${englishNotes(count)} deleted since then`,
  },
  ru: {
    command: 'Что я помню: список, удаление',
    buttons: {
      all: 'Все записи',
      add: 'Добавить',
      turnOn: 'Включить память',
      turnOff: 'Выключить память',
      deleteAll: 'Удалить все',
      deleteAllForGood: 'Да, удалить все',
      edit: 'Изменить',
      delete: 'Удалить',
      source: '💬 Показать сообщение',
    },
    isOn: 'Память: включена',
    isOff: 'Память: выключена',
    heading: (count, limit) => `🧠 Память: ${russianNotes(count)} из ${limit}`,
    empty: '🧠 Пока ничего не записано.',
    found: (count, search) => `🧠 По запросу «${search}»: ${russianNotes(count)}`,
    noneFound: (search) => `🧠 По запросу «${search}» ничего нет.`,
    on: 'Модели читают эти записи в нашем личном чате и больше нигде. Попросите модель что-нибудь запомнить или напишите /remember и текст.',
    off: 'Память выключена: модели не читают записи и не добавляют новых.',
    groupOn:
      'Модели читают эти записи в этой группе и больше нигде. Добавить запись может каждый: попросить модель или написать /remember и текст; удалить – автор записи и администраторы.',
    groupOff: 'Память этой группы выключена. Администраторы могут включить её в /memory.',
    switchedOn:
      'Администратор включил память этой группы: по вашей просьбе я веду записи о группе и показываю их модели, когда кто-нибудь здесь о чём-то спрашивает, и больше нигде. /memory покажет их; удалить запись могут её автор и администраторы.',
    switchedOff: 'Память этой группы выключена. Записи хранятся, пока администратор не удалит их в /memory.',
    askSearch: 'Что искать? Пришлите слово.',
    askText: 'Что запомнить? Пришлите одно предложение.',
    askNewText: 'Пришлите новый текст этой записи.',
    tooLong: (length, limit) =>
      `Знаков в тексте: ${length}, а в записи их может быть не больше ${limit}. Пришлите текст короче.`,
    remembered: (text) => `🧠 Запомнил: ${text}`,
    known: 'Это я уже помню.',
    full: (limit) => `В памяти уже ${russianNotes(limit)}, больше нельзя. Сначала удалите лишние.`,
    saved: 'Сохранено.',
    gone: 'Этой записи больше нет.',
    onlyAuthor: 'Изменить запись могут только её автор и администраторы группы.',
    permission: {
      remember: { question: 'Запомнить это?', allow: 'Сохранить', refuse: 'Не сохранять' },
      forget: { question: 'Забыть эту запись?', allow: 'Забыть', refuse: 'Оставить' },
    },
    deleted: (text) => `Удалено: ${text}`,
    askDeletion: (count) => `Удалить все записи (${count})? Вернуть их будет нельзя.`,
    deletedAll: (count) => `Удалено записей: ${count}.`,
    fromYou: (moment) => `От вас, ${moment}`,
    fromMember: (moment) => `От другого участника, ${moment}`,
    fromForeignText:
      'Модель написала это, прочитав чужой текст. Ответы с этой записью спросят вас, прежде чем что-то изменить или отправить. Измените запись, чтобы она стала вашей.',
    isSource: (text) => `Запись сделана по этому сообщению:\n\n${text}`,
    sourceGone: 'Сообщения, из которого это записано, больше нет.',
    used: '🧠 Для этого ответа у модели были записи:',
    more: (count) => `… и ещё ${count}`,
    deletedSince: (count) => `Удалено с тех пор: ${count}`,
  },
});
