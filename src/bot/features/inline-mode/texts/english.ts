export const english = {
  ask: (model: string) => `Ask ${model}`,
  answer: 'Answer',
  waiting: 'The answer comes here. If it does not, press the button.',
  goOn: 'Go on in the chat',
  cut: '… There is more of it in our chat.',
  outcomes: {
    begun: 'I am writing.',
    known: 'I am already writing.',
    busy: 'I have too much to do just now. Please press again in a minute.',
    'no-model': 'No model is connected yet. The operator of this bot has to add one.',
  },
  noFiles: 'Send me files to share them here',
  noneFound: 'No file with such a name',
};
