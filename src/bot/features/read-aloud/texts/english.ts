export const english = {
  /** Spoken instead of content that can't be read aloud. */
  signs: { code: 'Here is some code.', table: 'Here is a table.', link: 'a link' },
  /** Spoken at the end of a text that is too long. */
  rest: 'The rest is in the text.',
  demonstration: 'This is a demo: no text-to-speech model is connected, so you hear a tone for each word.',
  begun: 'One moment, I’m recording it…',
  atIt: 'I’m already recording it. One moment.',
  nothing: 'There is nothing to read aloud here.',
  unavailable: 'There is no text-to-speech model any more.',
  failed: 'I could not read this aloud right now. Try again in a moment.',
  forbidden:
    'Telegram rejected my voice message: your privacy settings don’t allow voice messages from me. Change that in Telegram (Privacy, Voice Messages) and try again.',
};
