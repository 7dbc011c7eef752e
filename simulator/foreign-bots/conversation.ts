import assert from 'node:assert/strict';
import type { ButtonPressed, ChatMessage, ChatView, ControlState } from '../src/index.ts';

const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 50;

/**
 * Talks to an echo bot as a user, using only the control API, and returns the transcript.
 * @param url of the simulator
 * @throws an Error if the bot does not answer, or answers wrongly
 */
export async function talk(url: string): Promise<string[]> {
  const control = `${url}/playground/control`;
  const transcript: string[] = [];
  const chat = await post<ChatView>('chats', { type: 'private', person: { firstName: 'Ann' } });
  const messages = `chats/${chat.id}/messages`;

  async function post<Answer>(path: string, body: object | FormData): Promise<Answer> {
    const isForm = body instanceof FormData;
    const response = await fetch(`${control}/${path}`, {
      method: 'POST',
      ...(isForm ? { body } : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return JSON.parse(await response.text());
  }

  async function readMessages(): Promise<readonly ChatMessage[]> {
    const state: ControlState = JSON.parse(await (await fetch(`${control}/state`)).text());
    return state.messages[chat.id] ?? [];
  }

  async function waitForMessage(what: string, isWanted: (message: ChatMessage) => boolean): Promise<ChatMessage> {
    for (const endsAt = Date.now() + PATIENCE_MS; Date.now() < endsAt; ) {
      const found = (await readMessages()).find(isWanted);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    throw new Error(`the bot did not ${what}`);
  }

  async function answerTo({ message: asked }: ChatMessage, what: string) {
    const { message } = await waitForMessage(what, ({ message }) => message.message_id > asked.message_id);
    return message;
  }

  transcript.push('Ann: /start');
  const greeting = await answerTo(await post(messages, { text: '/start' }), 'greet');
  transcript.push(`bot: ${greeting.text} (${greeting.entities?.map(({ type }) => type)})`);
  assert.equal(greeting.text, 'Hello, Ann!');
  assert.deepEqual(greeting.entities, [{ type: 'bold', offset: 7, length: 3 }]);

  transcript.push('Ann: good morning 😀');
  const echo = await answerTo(await post(messages, { text: 'good morning 😀' }), 'echo a text');
  const button = echo.reply_markup?.inline_keyboard[0]?.[0];
  transcript.push(`bot: ${echo.text} [${button?.text}]`);
  assert.equal(echo.text, 'good morning 😀');

  transcript.push('Ann presses Shout');
  const { callbackQueryId } = await post<ButtonPressed>(`${messages}/${echo.message_id}/press`, { data: 'shout' });
  const edited = await waitForMessage('edit the message', ({ edits }) => edits > 0);
  transcript.push(`bot edits: ${edited.message.text}`);
  assert.equal(edited.message.text, 'GOOD MORNING 😀');
  assert.equal(edited.message.reply_markup, undefined);
  assert.ok(callbackQueryId);

  transcript.push('Ann: (document) notes.txt');
  const form = new FormData();
  form.append('file', new File(['some notes\n'], 'notes.txt', { type: 'text/plain' }));
  const { document } = await answerTo(await post(messages, form), 'send the document back');
  transcript.push(`bot: (document) ${document?.file_name}, ${document?.file_size} bytes`);
  assert.equal(document?.file_name, 'copy of notes.txt');
  const content = await fetch(`${control}/files/${document?.file_id}`);
  assert.equal(await content.text(), 'some notes\n');
  return transcript;
}
