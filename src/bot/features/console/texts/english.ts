export const english = {
  command: 'All of it on one web page',
  onlyPrivate: 'The console shows what is yours, so I open it in our private chat.',
  about: 'The console: your usage, keys, files and settings on one page.',
  aboutAdmin: 'The console: what is yours, and the administration of this service.',
  open: 'Open here',
  inBrowser: 'Open in a browser',
  linkRules: 'The link for the browser works once, within five minutes. Don’t pass it on: it signs in as you.',
  noMiniApp:
    'It opens in a browser only: Telegram shows pages at https addresses, and this service has none (PUBLIC_URL).',
};
