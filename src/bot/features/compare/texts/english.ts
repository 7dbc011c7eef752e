export const english = {
  command: 'Ask several models at once',
  choose: 'Choose two or three models. They answer at the same time.',
  tooMany: (count: number) => `${count} models at most. Deselect one first.`,
  start: (count: number) => `▶️ Compare (${count})`,
  started: 'Writing…',
  continuing: (model: string) => `The conversation continues from the answer of ${model}.`,
  movedOn: 'The conversation has moved on. Reply to an answer to continue from it.',
  oneModel: 'Only one model is connected, so there is nothing to compare.',
  askWhat: 'Write your question after the command: /compare Is a hot dog a sandwich?',
};
