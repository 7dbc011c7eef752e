export const english = {
  unknownCommand: (command: string) => `I don’t know ${command}. /help lists what I can do.`,
  unreadable: ({ hasSpeechToText }: { readonly hasSpeechToText: boolean }) =>
    `I can read text, photos${hasSpeechToText ? ', voice messages' : ''} and documents, and save other files, but I can’t read this. Please send it as one of these.`,
  onePhotoOfAlbum: 'I edit one image at a time and used the first one of your album.',
  filesInGroups: (hasSpeechToText: boolean) =>
    `Reply to the file with /save to get a link. To ask about a document, reply to it with a question and mention me.${hasSpeechToText ? ' I answer voice messages in reply to me.' : ''}`,
};
