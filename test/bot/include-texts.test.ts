import fc from 'fast-check';
import { estimateTokenCount } from 'tokenx';
import { describe, expect, it } from 'vitest';
import { fitMessages } from '../../src/bot/prompt/fit-messages.ts';
import { includeTexts as includeTextsOf, listMessagesWithTexts } from '../../src/bot/prompt/include-texts.ts';
import { toPromptMessage } from '../../src/bot/prompt/prompt-message.ts';
import type { Attachment, AttachmentText, StoredMessage } from '../../src/core/conversations/index.ts';

function say(id: number, content: string, ...names: readonly string[]): StoredMessage {
  const attachments = names.map((name): Attachment => {
    const kind = name.endsWith('.ogg') ? 'recording' : 'document';
    return { kind, telegramFileId: `file of ${name}`, name };
  });
  const role = id % 2 === 1 ? 'user' : 'assistant';
  const absent = { parentId: undefined, model: undefined, finishReason: undefined, replacesId: undefined };
  return { id, role, content, attachments, conversationId: 1, extras: {}, userId: undefined, ...absent };
}

const read = (messageId: number, text: string, position = 0, share = 1) => ({ messageId, position, text, share });
const includeTexts = (path: readonly StoredMessage[], texts: readonly AttachmentText[], contextLength?: number) => {
  const textsOf = ({ id }: StoredMessage) => texts.filter(({ messageId }) => messageId === id);
  return includeTextsOf(
    path.map((stored) => toPromptMessage(stored, { fileTexts: textsOf(stored) })),
    contextLength,
  );
};
const textsOf = (messages: ReturnType<typeof includeTexts>) => messages.map(({ text }) => text);

describe('texts of files in a prompt', () => {
  it('come before the question: a document between its marks, a recording as a transcript', () => {
    const path = [say(1, 'Which?', 'a.txt', 'b "x"\n.txt'), say(2, 'That.'), say(3, '', 'voice.ogg')];
    const texts = [read(1, 'one'), read(1, 'two', 1), read(3, 'And why?')];
    expect(textsOf(includeTexts(path, texts))).toEqual([
      '<document name="a.txt">\none\n</document>\n\n<document name="b x .txt">\ntwo\n</document>\n\nWhich?',
      'That.',
      'And why?',
    ]);
  });

  it('are replaced by the name if the file is unreadable, or if a newer question has the same document', () => {
    const path = [say(1, 'When?', 'a.txt'), say(2, 'Now.'), say(3, 'Sure?', 'a.txt', 'locked.pdf')];
    expect(textsOf(includeTexts(path, [read(1, 'noon'), read(3, 'noon')]))).toEqual([
      '[a.txt]\n\nWhen?',
      'Now.',
      '<document name="a.txt">\nnoon\n</document>\n\n[locked.pdf]\n\nSure?',
    ]);
  });

  it('are included for the newest four documents', () => {
    const path = Array.from({ length: 6 }, (_, index) => say(index * 2 + 1, 'What?', `${index}.txt`));
    const texts = path.map(({ id }) => read(id, `text ${id}`));
    expect(listMessagesWithTexts(path.map((stored) => toPromptMessage(stored)))).toEqual([5, 7, 9, 11]);
    const shown = textsOf(includeTexts(path, texts)).filter((text) => text.includes('<document'));
    expect(shown).toHaveLength(4);
  });

  it('share limited space fairly, and a cut is marked', () => {
    const long = 'a word and another '.repeat(20_000);
    const path = [say(1, 'Compare', 'a.txt', 'b.txt')];
    const [{ cuts } = { cuts: [] }] = includeTexts(path, [read(1, long), read(1, long, 1, 0.5)], 20_000);
    expect(cuts.map(({ name }) => name)).toEqual(['a.txt', 'b.txt']);
    const [first, second] = cuts;
    expect(first?.share).toBeLessThan(0.2);
    expect((second?.share ?? 0) * 2).toBeCloseTo(first?.share ?? 0, 2);
  });

  it('always leave space for the question', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1000, max: 40_000 }),
        (words, contextLength) => {
          const names = words.map((_, index) => `${index}.txt`);
          const path = [say(1, 'What is it about?', ...names)];
          const texts = words.map((word, position) => read(1, word.repeat(3000), position));
          const included = includeTexts(path, texts, contextLength);
          const [message] = fitMessages(included, undefined, contextLength);
          expect(message?.text.endsWith('What is it about?')).toBe(true);
          expect(estimateTokenCount(message?.text ?? '')).toBeLessThan(contextLength * 0.75);
        },
      ),
      { numRuns: 30 },
    );
  });
});
