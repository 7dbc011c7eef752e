import { unescape as decodeLeniently } from 'node:querystring';
import type { SettingKind } from '../core/stored-settings/index.ts';
import { isJsonObject, type JsonObject } from '../lib/json/json.ts';

/** Stands for a secret in answers. In a change it keeps the secret that is stored. */
const KEPT_SECRET = '[stored]';

/** Fields all of whose texts are secrets. */
export const SECRET_FIELDS = new Set(['api_keys', 'headers', 'credentials', 'env', 'args']);
/** Fields whose texts are addresses. */
export const ADDRESS_FIELDS = new Set(['base_url', 'models_url', 'rerank_url', 'mcp', 'url']);
/** Fields that say to whom the secrets are sent. */
const RECEIVERS = ['type', 'preset', 'region', ...ADDRESS_FIELDS];
/** Variables that are secrets as a whole. */
const SECRET_VARIABLE = /(?:TOKEN|KEY)$/;

type Change = (secret: string, path: readonly string[]) => string;

/**
 * Returns a copy of a setting with changed secrets. Addresses are secrets if they have a user, a password or a query.
 * @param name name of a variable.
 */
export function mapSecrets(kind: SettingKind, name: string, value: unknown, change: Change): unknown {
  if (kind === 'variable')
    return typeof value === 'string' && isSecretVariable(name, value) ? change(value, []) : value;
  if ((kind !== 'provider' && kind !== 'tool') || !isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([field, content]) => {
    if (SECRET_FIELDS.has(field)) return [field, mapTexts(content, [field], change)];
    const isSecret = ADDRESS_FIELDS.has(field) && typeof content === 'string' && hasSecret(content);
    return [field, isSecret ? change(content, [field]) : content];
  });
  return Object.fromEntries(entries);
}

/** Shorter texts are not secrets, and removing them would garble every line. */
const MIN_SECRET_LENGTH = 6;

/** Returns the secrets of an entry that must not appear in the log. */
export function listSecretTexts(kind: SettingKind, value: unknown): readonly string[] {
  const found: string[] = [];
  mapSecrets(kind, '', value, (secret) => {
    found.push(secret);
    return secret;
  });
  return [...new Set(found.flatMap(toParts))].filter(({ length }) => length >= MIN_SECRET_LENGTH);
}

export function hideStored(kind: SettingKind, name: string, value: unknown): unknown {
  return mapSecrets(kind, name, value, () => KEPT_SECRET);
}

/**
 * Returns a value with the stored secrets in place of `KEPT_SECRET`; undefined if there is none, or if it would be sent
 * to another address than before.
 */
export function restoreSecrets(kind: SettingKind, name: string, value: unknown, stored: unknown): unknown {
  const known = new Map<string, string>();
  mapSecrets(kind, name, stored, (secret, path) => {
    known.set(path.join('.'), secret);
    return secret;
  });
  let isComplete = true;
  let hasKept = false;
  const restore: Change = (text, path) => {
    if (text !== KEPT_SECRET) return text;
    hasKept = true;
    const secret = known.get(path.join('.'));
    isComplete &&= secret !== undefined;
    return secret ?? text;
  };
  const isKeptVariable = kind === 'variable' && value === KEPT_SECRET;
  const restored = isKeptVariable
    ? restore(KEPT_SECRET, [])
    : mapSecrets(kind, name, unhideAddresses(value, known), restore);
  if (!hasKept) return restored;
  return isComplete && hasSameReceiver(restored, stored) ? restored : undefined;
}

/** Restores addresses, which are no secrets by themselves once they are hidden. */
function unhideAddresses(value: unknown, known: ReadonlyMap<string, string>): unknown {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([field, content]) => [
    field,
    content === KEPT_SECRET && ADDRESS_FIELDS.has(field) ? (known.get(field) ?? content) : content,
  ]);
  return Object.fromEntries(entries);
}

function hasSameReceiver(value: unknown, stored: unknown): boolean {
  if (!isJsonObject(value) || !isJsonObject(stored)) return value === stored || typeof value === 'string';
  return RECEIVERS.every((field) => value[field] === stored[field]);
}

/** Returns whether a variable is a secret as a whole. */
export function isSecretVariable(name: string, value: string): boolean {
  return SECRET_VARIABLE.test(name) || hasSecret(value);
}

function hasSecret(text: string): boolean {
  const url = toAddress(text);
  return url !== undefined && (url.username !== '' || url.password !== '' || url.search !== '');
}

function toAddress(text: string): URL | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

function mapTexts(content: unknown, path: readonly string[], change: Change): unknown {
  if (['string', 'number', 'boolean'].includes(typeof content)) return change(String(content), path);
  if (Array.isArray(content)) return content.map((item, index) => mapTexts(item, [...path, String(index)], change));
  if (!isJsonObject(content)) return content;
  const entries = Object.entries(content).map(([name, item]) => [name, mapTexts(item, [...path, name], change)]);
  return Object.fromEntries(entries) as JsonObject;
}

/** Returns a secret, and what may be recognized of it elsewhere: without its scheme, and the parts of an address. */
function toParts(secret: string): readonly string[] {
  const url = toAddress(secret);
  if (url) return [url.password, decodeLeniently(url.password), ...url.searchParams.values()];
  return [secret, secret.split(' ').at(-1) ?? secret];
}
