export const english = {
  searchHint: 'A part of the name, or the beginning of the key. You can paste a whole key; only its beginning is used.',
  none: 'There are no keys yet.',
  noneFound: 'No key matches.',
};
