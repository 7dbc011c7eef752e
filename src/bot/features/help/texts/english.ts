import type { InputCapabilities } from '../../../texts/locales.ts';

export const english = {
  command: 'What I can do',
  intro: (model: string | undefined) =>
    `Write a message, and ${model ?? 'an AI model'} answers. Reply to an earlier answer to continue from there.`,
  closing: ({ hasSpeechToText, hasTextToSpeech }: InputCapabilities) =>
    `Ask in your own words: “remember that …”, “remind me in 20 minutes …”, “draw a chart of …”.\n\nI read text, photos${hasSpeechToText ? ', voice messages' : ''} and documents with a question; other files get a link.${hasTextToSpeech ? ' 🔊 reads an answer aloud.' : ''} In groups I answer mentions and replies.`,
  topics: {
    conversations: 'Conversations',
    models: 'Models and style',
    memory: 'Memory, tasks and search',
    files: 'Images and files',
    account: 'Your account and data',
  },
  forAdmins: 'For admins:',
};
