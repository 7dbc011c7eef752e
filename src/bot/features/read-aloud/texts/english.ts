export const english = {
  /** Spoken instead of content that can't be read aloud. */
  signs: { code: 'Here is a piece of code.', table: 'Here is a table.', link: 'a link' },
  /** Spoken at the end of a text that is too long. */
  rest: 'The rest is in the text.',
  demonstration: 'A demonstration: no model that speaks is connected, so this hums a tone for each word.',
  begun: 'One moment, I am reading it aloud…',
  atIt: 'I am reading aloud already. One moment.',
  nothing: 'There is nothing to read aloud here.',
  unavailable: 'No model that speaks is connected any more.',
  failed: 'I could not read this aloud right now. Try again in a moment.',
  forbidden:
    'Telegram did not take my voice message: your privacy settings allow none from me. Change that in Telegram (Privacy, Voice Messages) and try again.',
};
