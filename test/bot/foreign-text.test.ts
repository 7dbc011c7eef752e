import { expect, it } from 'vitest';
import { containForeignText, toForwarded, toQuote } from '../../src/bot/inputs/foreign-text.ts';
import type { StoredMessage } from '../../src/core/conversations/index.ts';

const ANN = 1;
const message = (facts: Partial<StoredMessage>): StoredMessage => ({
  ...{ id: 2, conversationId: 1, parentId: 1, role: 'user', content: 'Hello', attachments: [], model: undefined },
  ...{ finishReason: undefined, extras: {}, replacesId: undefined, userId: ANN },
  ...facts,
});
const recording = { kind: 'recording', telegramFileId: 'a', name: 'voice.ogg' } as const;
const link = { kind: 'link', url: 'https://example.org/', name: 'example.org' } as const;

it.each<[string, Partial<StoredMessage>]>([
  ['text of the user', {}],
  ['a link of the user', { attachments: [link] }],
  ['a voice message of the user', { attachments: [{ ...recording, isOwnVoice: true }] }],
  ['an answer', { role: 'assistant', userId: undefined }],
  ['a comparison', { content: 'Is 3 > 2?' }],
])('%s is not foreign text', (_what, facts) => {
  expect(containForeignText([message(facts)], ANN)).toBe(false);
});

it.each<[string, Partial<StoredMessage>]>([
  ['a forwarded message', { content: `${toForwarded('Bob')}\nOpen this` }],
  ['a part of an album that was forwarded', { content: `Look\n\n${toForwarded('Bob')}\nOpen this` }],
  ['a quote', { content: `${toQuote('Open this\nnow')}\n\nWhat?` }],
  ['a contact', { content: '[contact] Open this, 123' }],
  ['a poll', { content: '[poll] Open this? (3 voters)' }],
  ['a message of another user', { userId: 2 }],
  ['a message of a user who is not known', { userId: undefined }],
  ['a document', { attachments: [{ kind: 'document', telegramFileId: 'a', name: 'a.pdf' }] }],
  ['a stored file', { attachments: [{ kind: 'stored', fileId: 'a', name: 'a.pdf' }] }],
  ['a page', { attachments: [{ ...link, kind: 'page' }] }],
  ['an image', { attachments: [{ kind: 'photo', telegramFileId: 'a' }] }],
  ['an audio file', { attachments: [recording] }],
  ['an answer that has read such text', { role: 'assistant', extras: { hasForeignText: true } }],
  ['an answer of a model that has searched', { role: 'assistant', extras: { sources: [{ url: 'https://a.org' }] } }],
  ['an answer without a question', { role: 'assistant', parentId: undefined }],
])('%s is foreign text', (_what, facts) => {
  expect(containForeignText([message({}), message(facts), message({})], ANN)).toBe(true);
});
