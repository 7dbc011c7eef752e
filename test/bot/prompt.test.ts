import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitMessages, toPromptTokens } from '../../src/bot/prompt/fit-messages.ts';
import { includeTexts } from '../../src/bot/prompt/include-texts.ts';
import { type PromptMessage, toPromptMessage } from '../../src/bot/prompt/prompt-message.ts';
import { joinReminders } from '../../src/bot/prompt/read-path.ts';
import { type Attachment, estimateTokens, type StoredMessage } from '../../src/core/conversations/index.ts';
import { countInputs } from '../support/vitest/tiers.ts';

const DOCUMENT: Attachment = { kind: 'document', telegramFileId: 'file', name: 'a.txt' };
const PHOTO: Attachment = { kind: 'photo', telegramFileId: 'photo' };

interface Turn {
  readonly kind: 'user' | 'assistant' | 'reminder';
  readonly words: number;
  readonly attachments: readonly Attachment[];
}

const turn = fc.record<Turn>({
  kind: fc.constantFrom('user', 'assistant', 'reminder'),
  words: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 20 }), fc.integer({ min: 500, max: 4000 })),
  attachments: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.subarray([DOCUMENT, PHOTO])),
});
const question = turn.map((any): Turn => ({ ...any, kind: 'user', words: Math.max(1, any.words) }));

/** Returns a turn as it is after reading, its document with a long text. */
function toMessage({ kind, words, attachments }: Turn, index: number): PromptMessage {
  const id = index + 1;
  const isReminder = kind === 'reminder';
  const absent = { parentId: undefined, model: undefined, finishReason: undefined, replacesId: undefined };
  const stored: StoredMessage = {
    id,
    conversationId: 1,
    role: kind === 'assistant' ? 'assistant' : 'user',
    content: isReminder ? `Reminder ${id}` : 'word '.repeat(words) + (words > 0 ? id : ''),
    attachments: kind === 'user' ? attachments : [],
    extras: {},
    userId: undefined,
    ...absent,
  };
  const position = stored.attachments.indexOf(DOCUMENT);
  const fileTexts = position < 0 ? [] : [{ messageId: id, position, text: 'a long text '.repeat(words * 3), share: 1 }];
  return toPromptMessage(stored, { isReminder, fileTexts });
}

const countTokens = ({ text, stored }: PromptMessage) =>
  estimateTokens(text) + (stored.attachments.includes(PHOTO) ? 1000 : 0);

const storedOf = (messages: readonly PromptMessage[]) => messages.map(({ stored }) => stored);

/** Builds a prompt of turns. @returns its path, the messages that fit, and those that are sent. */
function build(turns: readonly Turn[], systemPrompt: string, contextLength: number) {
  const path = turns.map(toMessage);
  const fitting = fitMessages(includeTexts(path, contextLength), systemPrompt, contextLength);
  return { path, fitting, sent: joinReminders(fitting) };
}

describe('the prompt of any conversation', () => {
  const check = (property: (built: ReturnType<typeof build>, systemPrompt: string, contextLength: number) => void) =>
    fc.assert(
      fc.property(
        fc.array(turn, { maxLength: 12 }),
        question,
        fc.constantFrom('', 'Be kind.'),
        fc.integer({ min: 1000, max: 60_000 }),
        (earlier, last, systemPrompt, contextLength) =>
          property(build([...earlier, last], systemPrompt, contextLength), systemPrompt, contextLength),
      ),
      { numRuns: countInputs(300) },
    );

  test('has the newest messages in their order and with their roles, and ends with the question', () => {
    check(({ path, sent }) => {
      const turns = path.filter(
        ({ text, stored, isReminder }) => !isReminder && (text || stored.attachments.length > 0),
      );
      expect(storedOf(sent)).toEqual(storedOf(turns).slice(-sent.length));
      const [first] = sent;
      expect(first?.stored.role === 'assistant' && sent.length > 1).toBe(false);
      expect(sent.at(-1)?.stored).toBe(path.at(-1)?.stored);
      expect(sent.every(({ text, stored }) => text.endsWith(stored.content))).toBe(true);
    });
  });

  test('has each reminder once, before the next question', () => {
    check(({ fitting, sent }) => {
      for (const reminder of fitting.filter(({ isReminder }) => isReminder)) {
        const next = sent.find(({ stored }) => stored.role === 'user' && stored.id > reminder.stored.id);
        expect(next?.notes).toContain(reminder.text);
        expect(sent.filter(({ notes }) => notes.includes(reminder.text))).toHaveLength(1);
      }
    });
  });

  test('leaves room for the answer, whatever the documents in it', () => {
    check(({ fitting }, systemPrompt, contextLength) => {
      const tokens = fitting.reduce((sum, message) => sum + countTokens(message), estimateTokens(systemPrompt));
      if (fitting.length > 1) expect(tokens).toBeLessThanOrEqual(toPromptTokens(contextLength));
    });
  });
});
