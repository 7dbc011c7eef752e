const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

export const english = {
  command: 'API keys for your programs',
  buttons: {
    revokeNow: 'Yes, revoke',
    make: 'New key',
    rename: 'Rename',
    revoke: 'Revoke',
    keep: 'Keep it',
    all: 'All keys',
    hide: 'Done, hide it',
  },
  copy: 'Copy the key',
  onlyPrivate: 'Keys are private. Send me this command in our private chat.',
  heading: (count: number, limit: number) => `Your API keys: ${count} of ${limit}.`,
  about: (apiUrl: string) =>
    `With a key, your programs can use the models here on your account. Any OpenAI client works, with the base URL ${apiUrl}`,
  none: 'You have no API key yet.',
  askName: 'What is the key for? Send me a name for it, like “laptop”.',
  askNewName: 'Send me the new name.',
  badName: (limit: number) => `A name must be 1 to ${limit} characters. Send me another one.`,
  full: (limit: number) => `You have ${limit} keys, the maximum. Revoke one first.`,
  made: (name: string) => `Your new key “${name}”. Save it now: I can’t show it again.`,
  baseUrl: (apiUrl: string) => `Base URL: ${apiUrl}`,
  madeOn: (date: Date) => `Created on ${DATE.format(date)}`,
  neverUsed: 'Never used',
  lastUsed: (date: Date, route: string, network: string) =>
    `Last used ${TIME.format(date)} UTC, ${route}, from ${network}`,
  renamed: 'Renamed.',
  askRevoke: 'Revoke this key? Programs that use it will stop working. This can’t be undone.',
  revoked: (name: string) => `“${name}” is revoked.`,
  gone: 'This key no longer exists.',
};
