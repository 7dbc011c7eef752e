export const english = {
  ask: (model: string) => `Ask ${model}`,
  answer: 'Answer',
  waiting: 'The answer will appear here. If it doesn’t, press the button.',
  goOn: 'Continue in the chat',
  cut: '… The rest is in our chat.',
  outcomes: {
    begun: 'I’m writing.',
    known: 'I’m already writing.',
    overloaded: 'I’m too busy right now. Please press again in a minute.',
    'no-model': 'No model is connected yet. The operator of this bot has to add one.',
  },
  noFiles: 'Send me files to share them here',
  noneFound: 'No file with this name',
};
