/** The bot's own words about first steps, in English. */
export const englishFirstSteps = {
  buttons: { ask: 'Ask something', draw: 'Draw a picture', keep: 'Keep a file', persona: 'Choose who answers' },
  askSomething: 'Write me anything, or try one of these:',
  /** At most what a button shows; each is asked as it stands here. */
  examples: [
    'Explain black holes to a child',
    'Plan a weekend in Lisbon',
    'Three dinners from eggs and rice',
  ] as readonly string[],
  asked: (question: string) => `You ask: ${question}`,
  keepFile:
    'Send me any file now to get a link to it. With a question as the caption I read documents and look at photos. /files lists your files.',
};
