export const english = {
  unknownCommand: (command: string) => `I don't know ${command}. /help lists what I can do.`,
  unreadable: ({ listens }: { readonly listens: boolean }) =>
    `I can read text, photos${listens ? ', voice messages' : ''} and documents, and keep other files. Please send it as one of these.`,
  onePhotoOfAlbum: 'I change one picture at a time and took the first one of your album.',
  filesInGroups: (listens: boolean) =>
    `Reply to the file with /save to get a link. To ask about a document, reply to it with a question and mention me.${listens ? ' I answer voice messages in reply to me.' : ''}`,
};
