/** The bot's own words about groups and what their admins choose, in English. */
export const englishGroups = {
  buttons: {
    groupPays: 'The group pays',
    askerPays: 'Whoever asks pays',
    ignoreReplies: 'Answer mentions only',
    answerReplies: 'Answer replies as well',
    rememberTalk: 'Remember recent messages',
    forgetTalk: 'Forget recent messages',
    asEachHas: 'As everybody has it',
  },
  heading: 'Settings of this group',
  model: (name: string | undefined) => `Model: ${name ?? 'as everybody has it'}`,
  persona: (label: string | undefined, hasInstructions: boolean) =>
    `Who answers: ${label ?? (hasInstructions ? 'by the group’s instructions' : 'as everybody has it')}`,
  language: (name: string | undefined) => `Language: ${name ?? 'as everybody has it'}`,
  groupPays: 'Limits: those of the group, together',
  askerPays: 'Limits: those of whoever asks',
  repliesAnswered: 'I answer commands, mentions, and replies to me',
  repliesIgnored: 'I answer commands and mentions',
  remembered: 'Recent messages: I remember the last 50 of each topic, for a day',
  notRemembered: 'Recent messages: I don’t keep them',
  onlyAdmins: 'Only admins of this group can change its settings.',
  forAdmins: 'Admins of this group can change them here. Your own settings are in our private chat.',
  askModel: 'Which model shall answer everybody in this group?',
  askPersona: 'Who shall answer in this group?',
  askInstructions: 'Reply to this message with what I shall tell the model in this group.',
  instructionsSaved:
    'Saved. These instructions count in this group for everybody, where a conversation has none of its own.',
  modelIsSet: (model: string) =>
    `In this group ${model} answers everybody: its admins have chosen it, in /settings. Elsewhere your own choice counts.`,
  memoryOn:
    'An admin has switched my memory on: I keep the last 50 messages that I see here, for a day at most, and show them to the model when somebody asks me something here. Nowhere else. /settings switches it off; /forget, in our private chat, removes yours.',
  memoryOff: 'My memory of recent messages is off, and what I had kept is removed.',
  anonymous:
    'You write as the group, so I can’t see who you are. Write as yourself, and I answer; buttons work either way.',
  memoryIsOff:
    'I don’t keep what is said here, so I can’t sum it up. An admin can have me remember recent messages: /settings. Any single message I summarise in reply to it.',
  heardNothing: 'I have seen no recent messages here.',
  blind:
    'But Telegram shows me only what is said to me here. So that I see the rest, make me an admin of this group; or switch off my privacy mode at @BotFather (/setprivacy), add me to the group again, and switch this on once more.',
};
