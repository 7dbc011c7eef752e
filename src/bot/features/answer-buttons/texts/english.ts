export const english = {
  anotherOne: 'Writing another answer…',
  goingOn: 'Continuing…',
  changed: 'This message has just changed. Please press again.',
  movedOn: 'The conversation has moved on. Reply to this message to continue from here.',
  variant: (number: number, count: number, model: string) => `Answer ${number} of ${count}, written by ${model}.`,
  permission: {
    allowed: 'Continuing…',
    refused: 'Continuing without it…',
    onlyAuthor: 'Only the user who asked can allow this.',
    decided: 'This has already been decided.',
  },
};
