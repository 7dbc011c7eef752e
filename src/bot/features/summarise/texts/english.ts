export const english = {
  command: 'Summarise the message you reply to',
  request:
    'Summarise the recent messages in this group: the topics, who said what where it matters, what was decided, and which questions are open. Be brief.',
  askWhat: 'What should I summarise? Reply to a message with /summarise, or write the text after the command.',
  memoryIsOff:
    'I don’t remember messages here, so I can’t summarise them. An admin can turn that on in /settings. To summarise a single message, reply to it with /summarise.',
  heardNothing: 'There are no recent messages here.',
};
