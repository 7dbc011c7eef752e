export const english = {
  cancelled: 'Cancelled.',
};
