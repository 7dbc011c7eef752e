import { pluralOf } from '../../../texts/plural.ts';

const days = (count: number) => pluralOf('en', count, { one: 'day', other: 'days' });

export const english = {
  command: 'Your data: what I store, export, delete',
  onlyPrivate: 'Your data is private. Send me this command in our private chat.',
  privacy: (retentionDays: number | undefined, ownId: number | undefined, isSearchedByMeaning: boolean) =>
    [
      'What I store, and for how long',
      `• Your messages and the answers, so that conversations can continue: ${retentionDays === undefined ? 'until you use /forget' : `${days(retentionDays)}, or until you use /forget`}. In groups only messages addressed to me; if an admin has turned on recent messages, which I announce to the group, also the last 50 other messages, for a day. What you type after my name in other chats: an hour. Photos stay at Telegram; I keep a reference to them. /find and models search your messages and documents; the index for it goes with them.`,
      '• Notes in my memory, with the message each comes from: until you delete them in /memory or use /forget. I show them to models in our private chat only. Notes of a group belong to the group: until someone deletes them or I am removed from it.',
      '• Images I create: 7 days. Your requests for them: up to 30 days.',
      '• Your reminders and tasks with the history of their runs: until you delete them in /tasks or use /forget.',
      '• Your files and shared pages: encrypted, until they expire or you delete them. The text of documents is stored with them, for /find.',
      '• Which models you used and when, with tokens and cost; your 👍 and 👎; your settings and personas; your Telegram id; whether you have blocked me: until you use /forget.',
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
};
