export const english = {
  about:
    'Everyone who has one of these sessions can use this console as you. A session ends by itself after some hours.',
  device: 'Device',
  origin: 'Opened',
  origins: { 'mini-app': 'in Telegram', link: 'by a link from the bot', playground: 'in the playground' },
  lastUsed: 'Last used',
  expires: 'Ends',
  here: 'this session',
  action: 'Action',
  end: 'End',
  endOthers: 'End all other sessions',
  ended: 'Ended.',
};
