export const english = { others: 'Others' };
