export const english = {
  buttons: {
    groupPays: 'Share limits in the group',
    userPays: 'Use personal limits',
    ignoreReplies: 'Answer mentions only',
    answerReplies: 'Answer replies as well',
    rememberMessages: 'Remember recent messages',
    forgetMessages: 'Stop remembering messages',
    asEachHas: 'Each user’s own choice',
  },
  heading: 'Settings of this group',
  model: (name: string | undefined) => `Model: ${name ?? 'each user’s own choice'}`,
  persona: (label: string | undefined, hasInstructions: boolean) =>
    `Persona: ${label ?? (hasInstructions ? 'the group’s instructions' : 'each user’s own choice')}`,
  language: (name: string | undefined) => `Language: ${name ?? 'each user’s own choice'}`,
  groupPays: 'Limits: shared by the group',
  userPays: 'Limits: each user’s own',
  repliesAnswered: 'I answer commands, mentions, and replies to me',
  repliesIgnored: 'I answer commands and mentions',
  remembered: 'Recent messages: the last 50 of each topic, for a day',
  notRemembered: 'Recent messages: not remembered',
  forAdmins: 'Admins of this group can change them here. Your own settings are in our private chat.',
  askModel: 'Which model should answer in this group?',
  askPersona: 'Who should answer in this group?',
  askInstructions: 'Reply to this message with the instructions for this group.',
  instructionsSaved:
    'Saved. They apply to everyone in this group, except in conversations with instructions of their own.',
  recentOn:
    'An admin turned on recent messages: I keep the last 50 messages I see here for up to a day and show them to the model when someone here asks me something, nowhere else. /settings turns it off; /forget in our private chat deletes your messages.',
  recentOff: 'Recent messages are no longer kept, and those I had are deleted.',
};
