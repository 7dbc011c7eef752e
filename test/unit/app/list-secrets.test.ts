import { expect, it } from 'vitest';
import { listSecrets } from '../../../src/app/list-secrets.ts';
import { readSettings } from '../../../src/app/read-settings.ts';

const TOKEN = `123456789:${'Ab_-'.repeat(9)}`;
const KEY = Buffer.alloc(32, 7);

it.each([
  ['BOT_TOKEN', TOKEN, TOKEN],
  ['TELEGRAM_API_ROOT', 'http://me:pass-of-api@127.0.0.1:8081', 'pass-of-api'],
  ['WEBHOOK_SECRET', 'a-secret-of-webhooks', 'a-secret-of-webhooks'],
  ['STORAGE_BOT_TOKENS', TOKEN.replace('123', '456'), TOKEN.replace('123', '456')],
  ['ENCRYPTION_KEY', KEY.toString('hex'), KEY.toString('base64')],
  ['UNIVERSAL_API_KEY', 'a-key-for-everybody', 'a-key-for-everybody'],
  ['METRICS_TOKEN', 'a-token-of-metrics', 'a-token-of-metrics'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://me:pass-of-traces@127.0.0.1:4318', 'pass-of-traces'],
  ['OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', 'http://me:pass-of-logs@127.0.0.1:4318/v1/logs', 'pass-of-logs'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=Bearer%20key-of-traces', 'key-of-traces'],
  ['DATABASE_URL', 'postgres://me:100%25secret@127.0.0.1/db', '100%secret'],
  ['OPENAI_API_KEY', 'key-one,key-two', 'key-two'],
  ['AWS_BEARER_TOKEN_BEDROCK', 'key-of-bedrock', 'key-of-bedrock'],
  ['AWS_SECRET_ACCESS_KEY', 'secret-of-aws', 'secret-of-aws'],
  ['BRAVE_API_KEY', 'key-of-brave', 'key-of-brave'],
  ['TAVILY_API_KEY', 'one-of-tavily, two-of-tavily', 'two-of-tavily'],
  ['SEARXNG_URL', 'http://me:pass-of-searxng@127.0.0.1:8888', 'pass-of-searxng'],
  ['SD_WEBUI_URL', 'http://me:pass-of-webui@127.0.0.1:7860', 'pass-of-webui'],
])('the value of %s is removed from the log', async (name, value, secret) => {
  const base = {
    ...{ BOT_TOKEN: TOKEN, PUBLIC_URL: 'https://example.com', STORAGE_CHAT_IDS: '-1001234567890' },
    ...{ AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'id-of-aws' },
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  };
  expect(listSecrets(await readSettings({ values: { ...base, [name]: value }, fileNames: [] }))).toContain(secret);
});
