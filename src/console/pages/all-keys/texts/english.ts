export const english = {
  searchHint: 'A part of the name, or the beginning of the key. A key that you paste is shortened to it.',
  none: 'No key matches.',
};
