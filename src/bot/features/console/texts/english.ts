export const english = {
  command: 'All of this in your browser',
  onlyPrivate: 'The console shows your data, so I open it in our private chat.',
  about: 'The console: your usage, keys, files and settings on one page.',
  aboutAdmin: 'Console: your data, and the administration of this service.',
  open: 'Open here',
  inBrowser: 'Open in a browser',
  linkRules: 'The link for the browser works once, within five minutes. Don’t pass it on: it signs in as you.',
  noMiniApp: 'Open it in a browser. (Inside Telegram it needs an https address: PUBLIC_URL.)',
};
