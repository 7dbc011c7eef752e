export const english = {
  use: 'Use memory',
  on: 'Models read these notes in your private chat with the bot, and nowhere else. Tell a model to remember something, or add a note here.',
  off: 'Models neither read notes nor add any. Your notes are kept.',
  count: (count: number, max: number) => `Notes: ${count} of ${max}.`,
  empty: 'Nothing is remembered yet.',
  noneFound: 'No notes fit this search.',
  add: 'Add a note',
  addTitle: 'New note',
  editTitle: 'Change the note',
  text: 'What should models remember?',
  textHint: (max: number) => `One sentence, at most ${max} characters.`,
  editNamed: (text: string) => `Change “${text}”`,
  deleteNamed: (text: string) => `Delete “${text}”`,
  deleteOne: 'Delete this note?',
  deleteAll: 'Delete all',
  deleteAllBody: 'All your notes are deleted. This can’t be undone.',
  /** By the codes of refusals. */
  problems: { known: 'There is a note with this text already.' },
  ofGroups: 'Notes of a group are in that group: send /memory there.',
  writtenAt: (time: string) => `From ${time}`,
  foreign:
    'A model wrote it after reading text of others. Answers that use it ask you before they change or send something. Change it to make it your own.',
};
