/** The bot's own words about groups and what their admins choose, in English. */
export const englishGroups = {
  buttons: {
    groupPays: 'The group pays',
    askerPays: 'Each person pays',
    ignoreReplies: 'Answer mentions only',
    answerReplies: 'Answer replies as well',
    rememberTalk: 'Remember recent messages',
    forgetTalk: 'Stop remembering messages',
    asEachHas: 'Each person’s own choice',
  },
  heading: 'Settings of this group',
  model: (name: string | undefined) => `Model: ${name ?? 'each person’s own choice'}`,
  persona: (label: string | undefined, hasInstructions: boolean) =>
    `Persona: ${label ?? (hasInstructions ? 'the group’s instructions' : 'each person’s own choice')}`,
  language: (name: string | undefined) => `Language: ${name ?? 'each person’s own choice'}`,
  groupPays: 'Limits: shared by the group',
  askerPays: 'Limits: each person’s own',
  repliesAnswered: 'I answer commands, mentions, and replies to me',
  repliesIgnored: 'I answer commands and mentions',
  remembered: 'Recent messages: the last 50 of each topic, for a day',
  notRemembered: 'Recent messages: not remembered',
  onlyAdmins: 'Only admins of this group can change its settings.',
  forAdmins: 'Admins of this group can change them here. Your own settings are in our private chat.',
  askModel: 'Which model should answer in this group?',
  askPersona: 'Who should answer in this group?',
  askInstructions: 'Reply to this message with the instructions for this group.',
  instructionsSaved:
    'Saved. They apply to everyone in this group, except in conversations with instructions of their own.',
  modelIsSet: (model: string) =>
    `Admins of this group chose ${model} for everyone (/settings). Elsewhere your own choice applies.`,
  memoryOn:
    'An admin switched on my memory: I keep the last 50 messages I see here for up to a day and show them to the model when someone asks me something here, nowhere else. /settings switches it off; /forget in our private chat removes yours.',
  memoryOff: 'My memory of recent messages is off and has been deleted.',
  anonymous:
    'You are writing as the group, so I can’t see who you are. Write as yourself to get an answer; buttons work either way.',
  memoryIsOff:
    'I don’t remember messages here, so I can’t summarise them. An admin can switch that on in /settings. Reply with /summarise to summarise a single message.',
  heardNothing: 'There are no recent messages here.',
  blind:
    'But Telegram only shows me messages addressed to me. To let me see the others, make me an admin of this group, or turn off privacy mode at @BotFather (/setprivacy), add me to the group again and switch this on once more.',
};
