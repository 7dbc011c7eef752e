import { isIP } from 'node:net';

/** Maximum part size for the hosted Bot API, which serves files of at most 20 MiB; encryption adds a little. */
export const HOSTED_PART_MB = 19;

/** A region of AWS: `us-east-1`, `us-gov-west-1`. */
export const AWS_REGION = /^[a-z]{2,4}(-[a-z]{2,12}){1,3}-\d$/;

/** Returns the problems of settings that are individually valid but contradict each other, one readable line each. */
export function findWrongCombinations(set: Readonly<Record<string, string | undefined>>): string[] {
  const problems: string[] = [];
  problems.push(...findWrongWebhook(set));
  if (set['BOT_TOKEN'] && set['DEMO']?.trim() === 'true')
    problems.push('DEMO is for the playground, which BOT_TOKEN replaces: remove one of them');
  if (!set['BOT_TOKEN'] && set['HOST'] && !isLoopback(set['HOST']) && set['DEMO']?.trim() !== 'true')
    problems.push(
      `HOST is ${set['HOST']} but BOT_TOKEN is not set: the playground has no passwords and listens on this machine only (127.0.0.1). Set BOT_TOKEN, or remove HOST. In a container, DEMO=true allows it`,
    );
  if (!set['BOT_TOKEN'] && set['STORAGE_CHAT_IDS'])
    problems.push('STORAGE_CHAT_IDS needs BOT_TOKEN: the playground has no channels');
  for (const name of ['STORAGE_BOT_TOKENS', 'STORAGE_PART_MB'])
    if (set[name] && !set['STORAGE_CHAT_IDS'])
      problems.push(`${name} needs STORAGE_CHAT_IDS: without a channel it has no effect`);
  if (set['STORAGE']?.trim() === 'telegram' && !set['STORAGE_CHAT_IDS'])
    problems.push('STORAGE is telegram, which needs STORAGE_CHAT_IDS: the channels that store files');
  problems.push(...findWrongBucket(set));
  if (Number(set['STORAGE_PART_MB']) > HOSTED_PART_MB && !set['TELEGRAM_API_ROOT'])
    problems.push(
      `STORAGE_PART_MB over ${HOSTED_PART_MB} needs TELEGRAM_API_ROOT: Telegram's own Bot API serves files of at most 20 MiB`,
    );
  if (set['OPENAI_MODELS'] && !set['OPENAI_API_KEY'] && !set['OPENAI_BASE_URL'])
    problems.push('OPENAI_MODELS needs OPENAI_API_KEY or OPENAI_BASE_URL: it selects the models of that service');
  if (set['OPENAI_TRANSCRIPTION_MODEL'] && !set['OPENAI_API_KEY'] && !set['OPENAI_BASE_URL'])
    problems.push(
      'OPENAI_TRANSCRIPTION_MODEL needs OPENAI_API_KEY or OPENAI_BASE_URL: it names the speech-to-text model of that service',
    );
  problems.push(...findWrongSpeech(set));
  // A providers file can contain the address.
  const azureKey = ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'].find((name) => set[name]);
  if (azureKey && !set['AZURE_OPENAI_ENDPOINT'] && !set['AZURE_RESOURCE_NAME'] && !set['PROVIDERS_FILE'])
    problems.push(
      `${azureKey} needs AZURE_OPENAI_ENDPOINT, https://<resource>.openai.azure.com, or AZURE_RESOURCE_NAME, its first part`,
    );
  if (set['AWS_BEARER_TOKEN_BEDROCK'] && !AWS_REGION.test(set['AWS_REGION']?.trim() ?? '') && !set['PROVIDERS_FILE'])
    problems.push('AWS_BEARER_TOKEN_BEDROCK needs AWS_REGION: the region whose models are used, such as us-east-1');
  return problems;
}

function findWrongBucket(set: Readonly<Record<string, string | undefined>>): string[] {
  const names = ['S3_BUCKET_URL', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];
  const missing = names.filter((name) => !set[name]);
  const storage = set['STORAGE']?.trim();
  if (missing.length === 0 || (missing.length === names.length && storage !== 's3')) return [];
  const subject = storage === 's3' ? 'STORAGE is s3, which' : 'A bucket for files';
  return [`${subject} needs ${missing.join(' and ')}`];
}

function findWrongSpeech(set: Readonly<Record<string, string | undefined>>): string[] {
  const named = ['OPENAI_SPEECH_MODEL', 'OPENAI_SPEECH_VOICE', 'OPENAI_SPEECH_FORMAT'].find((name) => set[name]);
  if (!named) return [];
  if (!set['OPENAI_API_KEY'] && !set['OPENAI_BASE_URL'])
    return [`${named} needs OPENAI_API_KEY or OPENAI_BASE_URL: it configures text-to-speech of that service`];
  return set['OPENAI_BASE_URL'] && !set['OPENAI_SPEECH_MODEL']
    ? [`${named} needs OPENAI_SPEECH_MODEL: it configures the text-to-speech model of OPENAI_BASE_URL`]
    : [];
}

function findWrongWebhook(set: Readonly<Record<string, string | undefined>>): string[] {
  if (!set['WEBHOOK_SECRET']) return [];
  if (!set['BOT_TOKEN']) return ['WEBHOOK_SECRET needs BOT_TOKEN: the playground fetches its updates'];
  if (!set['PUBLIC_URL'])
    return ['WEBHOOK_SECRET needs PUBLIC_URL: the https:// address to which Telegram sends updates'];
  // Only a self-hosted Bot API server sends updates without TLS.
  return set['PUBLIC_URL'].trim().startsWith('https:') || set['TELEGRAM_API_ROOT']
    ? []
    : ['WEBHOOK_SECRET needs a PUBLIC_URL that begins with https://: Telegram sends updates to no other'];
}

/** Returns whether only this machine reaches a server that listens on `host`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
