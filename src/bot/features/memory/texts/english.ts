import { pluralOf } from '../../../texts/plural.ts';

const notes = (count: number) => pluralOf('en', count, { one: 'note', other: 'notes' });

export const english = {
  command: 'What I remember: list, search, delete',
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
  heading: (count: number, limit: number) => `🧠 Memory: ${count} of ${notes(limit)}`,
  empty: '🧠 Nothing is remembered yet.',
  found: (count: number, search: string) => `🧠 ${notes(count)} for “${search}”`,
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
  full: (limit: number) => `The memory has ${notes(limit)}, which is the limit. Delete some first.`,
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
    `Delete ${count === 1 ? 'the only note' : `all ${notes(count)}`}? This can’t be undone.`,
  deletedAll: (count: number) => `${notes(count)} deleted.`,
  fromYou: (moment: string) => `From you, ${moment}`,
  fromMember: (moment: string) => `From another member, ${moment}`,
  fromForeignText:
    'A model wrote it after reading text of others. Answers that use it ask you before they change or send something. Edit it to make it your own.',
  isSource: (text: string) => `This note comes from this message:\n\n${text}`,
  sourceGone: 'The message that it comes from no longer exists.',
  used: '🧠 For this answer the model had these notes:',
  more: (count: number) => `… and ${count} more`,
  deletedSince: (count: number) => `${notes(count)} deleted since then`,
};
