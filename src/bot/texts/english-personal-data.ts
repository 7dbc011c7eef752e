import { pluralOf } from './plural.ts';

const days = (count: number) => pluralOf('en', count, { one: 'day', other: 'days' });

/** The bot's own words about people's data, in English. */
export const englishPersonalData = {
  onlyPrivate: 'Your data is between the two of us. Write this to me in our private chat.',
  privacy: (retentionDays: number | undefined) =>
    [
      'What I keep, and for how long',
      `• What you write to me and what models answer, so that a conversation can go on: ${retentionDays === undefined ? 'until you use /forget' : `${days(retentionDays)}, or until you use /forget`}. In groups only messages that mean me; where an admin has switched my memory on, and everybody was told, the last 50 others as well, for a day. What you type behind my name in other chats: an hour. Photos stay at Telegram; I keep a reference to them.`,
      '• Pictures that I draw: 7 days. Your orders for them: up to 30 days.',
      '• Files that you give me, pages that you share: encrypted, until they expire or you delete them.',
      '• When you used which model, with how many tokens and at what cost; your 👍 and 👎; your settings and personas; your Telegram id; that you have blocked me, if you have: until you use /forget.',
      '• What admins choose for a group, instructions that they write for it included: it is the group’s, and stays until an admin changes it.',
      '• Whether you got an announcement of the operator: while it is being sent.',
      '• Of API keys a fingerprint only, and when, for what and from which network they were used last. What programs send with them is passed on, not kept.',
      '• Messages that I failed to handle: 7 days.',
      '',
      'Who sees it',
      '• The provider of the model that you choose gets what it has to answer: the conversation, your instructions, your photos. Its own rules apply there.',
      '• Links in a question are opened from the machine that I run on: their sites see that machine, not you.',
      '• Whoever runs this bot has its database and could read it.',
      '• Telegram carries every message. Bots have no secret chats.',
      '',
      '/export gives you everything, /forget removes it.',
    ].join('\n'),
  exported: (linkedCount: number) =>
    linkedCount === 0
      ? 'Everything that I keep of you.'
      : `Everything that I keep of you. ${linkedCount === 1 ? 'One file is' : `${linkedCount} files are`} not in it, but linked to in files.csv.`,
  askForget: (conversations: number, files: number) =>
    [
      'Shall I forget everything about you? Nothing brings it back. It counts in all chats, and what I am doing for you ends.',
      '',
      `• ${pluralOf('en', conversations, { one: 'conversation', other: 'conversations' })} and your pictures go. In groups your words and the answers to them go.`,
      `• ${pluralOf('en', files, { one: 'file', other: 'files' })} you have stored: deleted, and their links stop working.`,
      '• Your API keys stop working, and what you have used is deleted.',
      '• Within a day your number here goes too. A ban would stay.',
      '',
      'The messages in this chat are Telegram’s: delete the chat there. /export first, if you want a copy.',
    ].join('\n'),
  forgetNow: 'Yes, forget everything',
  forgotten: 'Done: I have forgotten you. If you write to me again, we begin anew.',
};
