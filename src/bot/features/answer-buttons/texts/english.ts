export const english = {
  anotherOne: 'Writing another answer…',
  goingOn: 'Going on…',
  changed: 'This has just changed. Please press again.',
  movedOn: 'The conversation has moved on. Reply to this message to go on from here.',
  variant: (number: number, count: number, model: string) => `Answer ${number} of ${count}, written by ${model}.`,
  permission: {
    allowed: 'Going on…',
    refused: 'Going on without it…',
    decided: 'This is decided already.',
  },
};
