export const english = {
  greeting: (model: string | undefined) =>
    [
      `Hi! Write me a message and ${model ?? 'an AI model'} will answer.`,
      '',
      'I also create images, look at photos, read documents and save files. Reply to an earlier answer to continue from there.',
      '',
      'Try one of these, or just write. /help has everything else.',
    ].join('\n'),
  greetingToGroup: (username: string) =>
    `Hi! Mention me (@${username}) or reply to one of my messages, and I will answer. Otherwise I stay quiet.`,
  buttons: { ask: 'Ask something', draw: 'Create an image', keep: 'Save a file', persona: 'Choose a persona' },
  askSomething: 'Write me anything, or try one of these:',
  /** Short enough for a button; each is sent as the question. */
  examples: [
    'Explain black holes to a child',
    'Plan a weekend in Lisbon',
    'Three dinners from eggs and rice',
  ] as readonly string[],
  asked: (question: string) => `You asked: ${question}`,
  keepFile:
    'Send me any file to get a link to it. Add a question as the caption, and I’ll read the document or look at the photo. /files lists your files.',
};
