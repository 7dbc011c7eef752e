/** @import { BotMembership, BotSettings, BotView, ButtonPress, ButtonPressed, ChatMessage, ChatView, ControlState, Done, FileKind, InlineChoice, InlineRequest, InlineRequested, MessageEdit, NewChat, NewMessage, NewTopic, Person, PersonChange, Reaction } from '../control-protocol.ts' */

/** Where the page is mounted, with a slash at the end: modules are served beside the control routes. */
const BASE = new URL('./', import.meta.url);
const TIMEOUT_MS = 60_000;

/** The simulator refused or could not be reached; the message can be shown to a person. */
export class ControlRequestError extends Error {
  /** @param {string} message @param {string} code @param {unknown} [cause] */
  constructor(message, code, cause) {
    super(message, { cause });
    this.name = 'ControlRequestError';
    this.code = code;
  }
}

/** Absolute address of a control route. @param {string} path such as `control/state` */
export const controlUrl = (path) => new URL(path, BASE).href;

/** Where the bytes of a file are. @param {string} fileId */
export const fileUrl = (fileId) => controlUrl(`control/files/${encodeURIComponent(fileId)}`);

/**
 * @template T
 * @param {'GET' | 'POST'} method @param {string} path @param {object | FormData} [body]
 * @returns {Promise<T>}
 * @throws {ControlRequestError}
 */
async function request(method, path, body) {
  /** @type {RequestInit} */
  const init = { method, signal: AbortSignal.timeout(TIMEOUT_MS) };
  if (body instanceof FormData) init.body = body;
  else if (body) Object.assign(init, { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } });
  const response = await fetch(controlUrl(path), init).catch((cause) => {
    throw new ControlRequestError('The simulator can’t be reached.', 'unreachable', cause);
  });
  const answer = await response.json().catch(() => undefined);
  if (response.ok) return answer;
  const message = answer?.error?.message ?? `The simulator answered ${response.status}.`;
  throw new ControlRequestError(message, answer?.error?.code ?? 'unknown');
}

/** @template T @param {string} path @param {object | FormData} body @returns {Promise<T>} */
const post = (path, body) => request('POST', path, body);

/** @returns {Promise<ControlState>} */
export const loadState = () => request('GET', 'control/state');

/** @param {number} personId @param {PersonChange} change @returns {Promise<Person>} */
export const changePerson = (personId, change) => post(`control/people/${personId}`, change);

/** @param {NewChat} chat @returns {Promise<ChatView>} */
export const createChat = (chat) => post('control/chats', chat);

/** @param {number} chatId @param {NewMessage} message @returns {Promise<ChatMessage>} */
export const sendMessage = (chatId, message) => post(`control/chats/${chatId}/messages`, message);

/**
 * @typedef {object} FileFields
 * @property {number} from
 * @property {FileKind | undefined} kind undefined: by the file's type
 * @property {string} [caption]
 * @property {number | undefined} replyTo
 * @property {number | undefined} topicId
 * @property {string | undefined} [mediaGroupId]
 * @property {number} [durationSeconds]
 */

/**
 * Sends a file as a person; fields stand before the file, as the route asks.
 * @param {number} chatId @param {FileFields} fields @param {File} file
 * @returns {Promise<ChatMessage>}
 */
export function sendFile(chatId, fields, file) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined && value !== '') form.set(name, String(value));
  form.set('file', file, file.name);
  return post(`control/chats/${chatId}/messages`, form);
}

/** @param {number} chatId @param {number} messageId @param {MessageEdit} edit @returns {Promise<ChatMessage>} */
export const editMessage = (chatId, messageId, edit) =>
  post(`control/chats/${chatId}/messages/${messageId}/edit`, edit);

/** @param {number} chatId @param {number} messageId @returns {Promise<Done>} */
export const deleteMessage = (chatId, messageId) => post(`control/chats/${chatId}/messages/${messageId}/delete`, {});

/** @param {number} chatId @param {number} messageId @param {ButtonPress} press @returns {Promise<ButtonPressed>} */
export const pressButton = (chatId, messageId, press) =>
  post(`control/chats/${chatId}/messages/${messageId}/press`, press);

/** @param {number} chatId @param {number} messageId @param {Reaction} reaction @returns {Promise<ChatMessage>} */
export const react = (chatId, messageId, reaction) =>
  post(`control/chats/${chatId}/messages/${messageId}/react`, reaction);

/** @param {number} chatId @param {string} draftId @returns {Promise<Done>} */
export const stopDraft = (chatId, draftId) =>
  post(`control/chats/${chatId}/drafts/${encodeURIComponent(draftId)}/stop`, {});

/** @param {number} chatId @param {BotMembership} membership @returns {Promise<ChatView>} */
export const changeBotMembership = (chatId, membership) => post(`control/chats/${chatId}/bot`, membership);

/** @param {number} chatId @returns {Promise<Done>} */
export const clearHistory = (chatId) => post(`control/chats/${chatId}/clear`, {});

/** @param {NewTopic} topic @returns {Promise<ChatView>} */
export const createTopic = (topic) => post('control/topics', topic);

/** @param {InlineRequest} query @returns {Promise<InlineRequested>} */
export const askInline = (query) => post('control/inline', query);

/** @param {InlineChoice} choice @returns {Promise<ChatMessage>} */
export const chooseInline = (choice) => post('control/inline/choose', choice);

/** @param {BotSettings} settings @returns {Promise<BotView>} */
export const changeBot = (settings) => post('control/bot', settings);
