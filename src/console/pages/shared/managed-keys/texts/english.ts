export const english = {
  keys: 'API keys',
  user: 'User',
  name: 'Name',
  start: 'Begins with',
  lastUsed: 'Last used',
  change: 'Change',
  pauseOf: (name: string) => `Pause or resume ${name}`,
  revokeOf: (name: string) => `Revoke ${name}`,
};
