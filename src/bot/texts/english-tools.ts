/** Texts about tools in use, in English. */
export const englishTools = {
  /** Status lines below the answer so far. */
  activities: {
    calculating: '🧮 Calculating',
    'looking-at-clock': '🕐 Looking at the clock',
    reading: '📄 Reading',
    searching: '🔎 Searching',
  },
  using: (tool: string) => `🔧 Using ${tool}`,
  about: (work: string, subject: string) => `${work}: ${subject}`,
  /** Asked before a model may act after it has read text of others. */
  permission: {
    open: (host: string) => `The model wants to open a page of ${host}:`,
    use: (tool: string) => `The model wants to use ${tool} with:`,
    whyOpen:
      'This address is in nothing that you or others have written here, so it may carry words of this conversation to that site. “Always” holds for this site.',
    whyUse:
      'This conversation contains text from elsewhere (a file, a page, other people), which may have led the model to this.',
    once: 'Once',
    always: 'Always in this conversation',
    no: 'No',
  },
};
