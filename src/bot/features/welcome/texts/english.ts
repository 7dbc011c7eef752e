export const english = {
  greeting: (model: string | undefined) =>
    [
      `Hi! Write me a message and ${model ?? 'an AI model'} will answer.`,
      '',
      'I also draw pictures, look at photos, read documents and keep files. Reply to an older answer to go on from there.',
      '',
      'Try one of these, or just write. /help has everything else.',
    ].join('\n'),
  greetingToGroup: (username: string) =>
    `Hi! Mention me (@${username}) or reply to one of my messages, and I answer. Otherwise I keep quiet.`,
  buttons: { ask: 'Ask something', draw: 'Draw a picture', keep: 'Keep a file', persona: 'Choose who answers' },
  askSomething: 'Write me anything, or try one of these:',
  /** Short enough for a button; each is sent as the question. */
  examples: [
    'Explain black holes to a child',
    'Plan a weekend in Lisbon',
    'Three dinners from eggs and rice',
  ] as readonly string[],
  asked: (question: string) => `You ask: ${question}`,
  keepFile:
    'Send me any file now to get a link to it. With a question as the caption I read documents and look at photos. /files lists your files.',
};
