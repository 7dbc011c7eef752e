/** Texts about tools in use, in English. */
export const englishTools = {
  /** Status lines below the answer so far. */
  activities: {
    calculating: '🧮 Calculating',
    'looking-at-clock': '🕐 Checking the time',
    reading: '📄 Reading',
    searching: '🔎 Searching',
    remembering: '🧠 Updating memory',
  },
  using: (tool: string) => `🔧 Using ${tool}`,
  about: (work: string, subject: string) => `${work}: ${subject}`,
  /** Asked before a model may act after it has read text of others. */
  permission: {
    open: (host: string) => `The model wants to open a page on ${host}:`,
    use: (tool: string) => `The model wants to use ${tool} with:`,
    useAlone: (tool: string) => `The model wants to use ${tool}.`,
    search: 'Search the web for this?',
    whyOpen:
      'This address does not appear in any message here, so opening it may pass parts of this conversation on to that site. “Always” applies to this site only.',
    whyUse:
      'This conversation contains text from elsewhere (a file, a web page, other users) that may have prompted the model to do this.',
    once: 'Allow once',
    always: 'Always in this conversation',
    no: 'Don’t allow',
    yesOrNo: (value: boolean): string => (value ? 'yes' : 'no'),
    nothing: 'nothing',
  },
};
