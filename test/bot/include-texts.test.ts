import fc from 'fast-check';
import { estimateTokenCount } from 'tokenx';
import { describe, expect, it } from 'vitest';
import { buildContext } from '../../src/bot/prompt/context-window.ts';
import { includeTexts, listMessagesWithTexts } from '../../src/bot/prompt/include-texts.ts';
import type { Attachment, StoredMessage } from '../../src/core/conversations/index.ts';

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
const contentsOf = ({ path }: { readonly path: readonly StoredMessage[] }) => path.map(({ content }) => content);

describe('texts of files in a prompt', () => {
  it('come before the question: a document between its marks, a recording as a transcript', () => {
    const path = [say(1, 'Which?', 'a.txt', 'b "x"\n.txt'), say(2, 'That.'), say(3, '', 'voice.ogg')];
    const texts = [read(1, 'one'), read(1, 'two', 1), read(3, 'And why?')];
    expect(contentsOf(includeTexts(path, texts, undefined))).toEqual([
      '<document name="a.txt">\none\n</document>\n\n<document name="b x .txt">\ntwo\n</document>\n\nWhich?',
      'That.',
      'And why?',
    ]);
  });

  it('are replaced by the name if the file is unreadable, or if a newer question has the same document', () => {
    const path = [say(1, 'When?', 'a.txt'), say(2, 'Now.'), say(3, 'Sure?', 'a.txt', 'locked.pdf')];
    expect(contentsOf(includeTexts(path, [read(1, 'noon'), read(3, 'noon')], undefined))).toEqual([
      '[a.txt]\n\nWhen?',
      'Now.',
      '<document name="a.txt">\nnoon\n</document>\n\n[locked.pdf]\n\nSure?',
    ]);
  });

  it('are included for the newest four documents', () => {
    const path = Array.from({ length: 6 }, (_, index) => say(index * 2 + 1, 'What?', `${index}.txt`));
    const texts = path.map(({ id }) => read(id, `text ${id}`));
    expect(listMessagesWithTexts(path)).toEqual([5, 7, 9, 11]);
    const shown = contentsOf(includeTexts(path, texts, undefined)).filter((content) => content.includes('<document'));
    expect(shown).toHaveLength(4);
  });

  it('share limited space fairly, and a cut is marked', () => {
    const long = 'a word and another '.repeat(20_000);
    const path = [say(1, 'Compare', 'a.txt', 'b.txt')];
    const { cuts } = includeTexts(path, [read(1, long), read(1, long, 1, 0.5)], 20_000);
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
          const [message] = buildContext({ path: included.path, contextLength });
          expect(message?.content.endsWith('What is it about?')).toBe(true);
          expect(estimateTokenCount(message?.content ?? '')).toBeLessThan(contextLength * 0.75);
        },
      ),
      { numRuns: 30 },
    );
  });
});
