export const english = {
  command: 'The essence of a message, in reply to it',
  request:
    'Summarise what was said in this group of late: the subjects, who said what where it matters, what was decided, and which questions are open. Be short.',
  askWhat: 'What should I summarise? Reply to a message with /summarise, or write the text after the command.',
  memoryIsOff:
    'I don’t remember messages here, so I can’t summarise them. An admin can switch that on in /settings. Reply with /summarise to summarise a single message.',
  heardNothing: 'There are no recent messages here.',
};
