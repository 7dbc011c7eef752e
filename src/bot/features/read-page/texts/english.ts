export const english = {
  link: 'I don’t open bare links. Tap to read this page.',
  readPage: 'Read the page',
};
