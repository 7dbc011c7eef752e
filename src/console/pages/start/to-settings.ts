/** Answers of the steps. Empty texts are not given. */
export interface Answers {
  readonly token: string;
  readonly delivery: 'polling' | 'webhook';
  readonly publicUrl: string;
  readonly webhookSecret: string;
  readonly channelId: string;
  /** Setting for the key of a provider. */
  readonly variable: string;
  readonly providerKey: string;
}

/** Returns the lines of `.env` for these answers. Settings that need a token are left out without one. */
export function toSettings(answers: Answers): string {
  const { token, delivery, publicUrl, webhookSecret, channelId, variable, providerKey } = answers;
  const isWebhook = token !== '' && delivery === 'webhook' && canReceiveUpdates(publicUrl);
  const settings: readonly (readonly [name: string, value: string])[] = [
    ['BOT_TOKEN', token],
    ['PUBLIC_URL', isWebhook ? publicUrl : ''],
    ['WEBHOOK_SECRET', isWebhook ? webhookSecret : ''],
    ['STORAGE_CHAT_IDS', channelId],
    [variable, providerKey],
  ];
  return settings
    .flatMap(([name, value]) => (value.trim() === '' ? [] : [`${name}=${quote(value.trim())}`]))
    .join('\n');
}

/** Ports to which Telegram sends updates; the empty one is 443. */
const WEBHOOK_PORTS = ['', '80', '88', '8443'];

/** Returns whether Telegram sends updates to such an address. */
export function canReceiveUpdates(address: string): boolean {
  const url = URL.parse(address.trim());
  return url?.protocol === 'https:' && WEBHOOK_PORTS.includes(url.port);
}

/** Quotes values with characters that have a meaning in `.env`. */
function quote(value: string): string {
  return /[\s#$'"`\\]/.test(value) ? `'${value}'` : value;
}
