import { pluralOf } from '../../../texts/plural.ts';

const days = (count: number) => pluralOf('en', count, { one: 'day', other: 'days' });

export const english = {
  command: 'Your data: what I store, export, delete',
  onlyPrivate: 'Your data is private. Send me this command in our private chat.',
  privacy: (retentionDays: number | undefined, ownId: number | undefined) =>
    [
      'What I store, and for how long',
      `• What you write to me and what models answer, so that a conversation can go on: ${retentionDays === undefined ? 'until you use /forget' : `${days(retentionDays)}, or until you use /forget`}. In groups only messages that mean me; where an admin has switched my memory on, and everybody was told, the last 50 others as well, for a day. What you type behind my name in other chats: an hour. Photos stay at Telegram; I keep a reference to them.`,
      '• Pictures that I draw: 7 days. Your orders for them: up to 30 days.',
      '• Your files and shared pages: encrypted, until they expire or you delete them.',
      '• When you used which model, with how many tokens and at what cost; your 👍 and 👎; your settings and personas; your Telegram id; that you have blocked me, if you have: until you use /forget.',
      '• What admins choose for a group, instructions that they write for it included: it is the group’s, and stays until an admin changes it.',
      '• Whether you got an announcement from the operator: while it is being sent.',
      '• API keys: only a fingerprint, and when, for what and from which network each was last used. Requests made with them are passed on, not stored.',
      '• Messages that I failed to handle: 7 days.',
      '',
      'Who sees it',
      '• Your model’s provider gets what it needs to answer: the conversation, your instructions, your photos. Its own privacy rules apply.',
      '• Links in a question are opened from the server I run on: those sites see the server, not you.',
      '• The operator of this bot has its database and could read it.',
      '• Telegram carries every message. Bots have no secret chats.',
      '',
      ...(ownId === undefined ? [] : [`Your Telegram id: ${ownId}`]),
      '/export gives you everything, /forget removes it.',
    ].join('\n'),
  exported: (linkedCount: number) =>
    linkedCount === 0
      ? 'Everything I have stored about you.'
      : `Everything I have stored about you. ${linkedCount === 1 ? 'One file is' : `${linkedCount} files are`} not in it, but linked to in files.csv.`,
  askForget: (conversations: number, files: number) =>
    [
      'Delete everything I know about you? This can’t be undone, covers all chats, and stops what I am doing for you.',
      '',
      `• ${pluralOf('en', conversations, { one: 'conversation', other: 'conversations' })} and your pictures go. In groups your words and the answers to them go.`,
      `• ${pluralOf('en', files, { one: 'file', other: 'files' })} you have stored: deleted, and their links stop working.`,
      '• Your API keys stop working, and your usage is deleted.',
      '• Within a day your number here goes too. A ban would stay.',
      '',
      'The messages in this chat are Telegram’s: delete the chat there. /export first, if you want a copy.',
    ].join('\n'),
  forgetNow: 'Yes, forget everything',
  forgotten: 'Done. I have deleted everything about you. If you write again, we start from scratch.',
};
