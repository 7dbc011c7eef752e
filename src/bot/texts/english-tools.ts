/** What people see while a model uses tools, in English. */
export const englishTools = {
  /** Below the answer so far. */
  activities: {
    calculating: '🧮 Calculating',
    'looking-at-clock': '🕐 Looking at the clock',
    reading: '📄 Reading',
    searching: '🔎 Searching',
  },
  using: (tool: string) => `🔧 Using ${tool}`,
  about: (work: string, subject: string) => `${work}: ${subject}`,
  on: 'Tools: on',
  off: 'Tools: off',
  turnOn: 'Turn tools on',
  turnOff: 'Turn tools off',
};
