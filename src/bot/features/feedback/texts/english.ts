export const english = {
  up: 'Thanks for the feedback.',
  down: 'Thanks for the feedback.',
  takenBack: 'Feedback removed.',
};
