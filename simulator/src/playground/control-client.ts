import type {
  BotMembership,
  BotSettings,
  BotView,
  ButtonPress,
  ButtonPressed,
  ChatMessage,
  ChatView,
  ControlState,
  Done,
  FileKind,
  InlineChoice,
  InlineRequest,
  InlineRequested,
  MessageEdit,
  NewChat,
  NewMessage,
  NewTopic,
  Person,
  PersonChange,
  Reaction,
} from '../control-protocol.ts';
import { translate } from './texts.ts';

/** Mount point of the page, with a trailing slash. Modules and control routes share it. */
const BASE = new URL('./', import.meta.url);
const TIMEOUT_MS = 60_000;

/** Thrown when the simulator refuses a request or can't be reached. The message can be displayed to the user. */
export class ControlRequestError extends Error {
  readonly code: string;

  constructor(message: string, code: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ControlRequestError';
    this.code = code;
  }
}

/**
 * Returns the absolute URL of a control route.
 * @param path such as `control/state`
 */
export const controlUrl = (path: string) => new URL(path, BASE).href;

/** Returns the URL of a file's content. */
export const fileUrl = (fileId: string) => controlUrl(`control/files/${encodeURIComponent(fileId)}`);

/** @throws {ControlRequestError} */
async function request<T>(method: 'GET' | 'POST', path: string, body?: object | FormData): Promise<T> {
  const init: RequestInit = { method, signal: AbortSignal.timeout(TIMEOUT_MS) };
  if (body instanceof FormData) init.body = body;
  else if (body) Object.assign(init, { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } });
  const response = await fetch(controlUrl(path), init).catch((cause) => {
    throw new ControlRequestError(translate('The simulator can’t be reached.'), 'unreachable', cause);
  });
  const answer = await response.json().catch(() => undefined);
  if (response.ok) return answer;
  const message = answer?.error?.message ?? `The simulator answered ${response.status}.`;
  throw new ControlRequestError(message, answer?.error?.code ?? 'unknown');
}

const post = <T>(path: string, body: object | FormData): Promise<T> => request('POST', path, body);

export const loadState = (): Promise<ControlState> => request('GET', 'control/state');

export const changePerson = (personId: number, change: PersonChange): Promise<Person> =>
  post(`control/people/${personId}`, change);

export const createChat = (chat: NewChat): Promise<ChatView> => post('control/chats', chat);

export const sendMessage = (chatId: number, message: NewMessage): Promise<ChatMessage> =>
  post(`control/chats/${chatId}/messages`, message);

interface FileFields {
  from: number;
  /** Undefined: derived from the file's type */
  kind: FileKind | undefined;
  caption?: string;
  replyTo: number | undefined;
  topicId: number | undefined;
  mediaGroupId?: string | undefined;
  durationSeconds?: number;
}

/** Sends a file as a user. The route requires the fields before the file. */
export function sendFile(chatId: number, fields: FileFields, file: File): Promise<ChatMessage> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined && value !== '') form.set(name, String(value));
  form.set('file', file, file.name);
  return post(`control/chats/${chatId}/messages`, form);
}

export const editMessage = (chatId: number, messageId: number, edit: MessageEdit): Promise<ChatMessage> =>
  post(`control/chats/${chatId}/messages/${messageId}/edit`, edit);

export const deleteMessage = (chatId: number, messageId: number): Promise<Done> =>
  post(`control/chats/${chatId}/messages/${messageId}/delete`, {});

export const pressButton = (chatId: number, messageId: number, press: ButtonPress): Promise<ButtonPressed> =>
  post(`control/chats/${chatId}/messages/${messageId}/press`, press);

export const react = (chatId: number, messageId: number, reaction: Reaction): Promise<ChatMessage> =>
  post(`control/chats/${chatId}/messages/${messageId}/react`, reaction);

export const stopDraft = (chatId: number, draftId: string): Promise<Done> =>
  post(`control/chats/${chatId}/drafts/${encodeURIComponent(draftId)}/stop`, {});

export const changeBotMembership = (chatId: number, membership: BotMembership): Promise<ChatView> =>
  post(`control/chats/${chatId}/bot`, membership);

export const clearHistory = (chatId: number): Promise<Done> => post(`control/chats/${chatId}/clear`, {});

export const createTopic = (topic: NewTopic): Promise<ChatView> => post('control/topics', topic);

export const askInline = (query: InlineRequest): Promise<InlineRequested> => post('control/inline', query);

export const chooseInline = (choice: InlineChoice): Promise<ChatMessage> => post('control/inline/choose', choice);

export const changeBot = (settings: BotSettings): Promise<BotView> => post('control/bot', settings);
