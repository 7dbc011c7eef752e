export const english = {
  inGroups: (listens: boolean) =>
    `Reply to the file with /save to get a link. To ask about a document, reply to it with a question and mention me.${listens ? ' I answer voice messages in reply to me.' : ''}`,
};
