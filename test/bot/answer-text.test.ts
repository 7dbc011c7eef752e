import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GrowingText } from '../../src/bot/answers/generation/text.ts';
import { measureStep } from '../support/machine/measure.ts';
import { countInputs } from '../support/vitest/tiers.ts';

function read(deltas: readonly string[], isComplete = true) {
  const text = new GrowingText();
  for (const delta of deltas) text.add(delta);
  if (isComplete) text.end();
  return { visible: text.toVisible(), reasoning: text.toReasoning() };
}

const HEADER = '<|start|>assistant<|channel|>';

describe('the visible text of an answer', () => {
  test.each([
    ['<think>hm', false, ''],
    ['<think>hm</think>\n\nYes.', true, 'Yes.'],
    ['\n<thinking>a < b</thinking>No.', true, 'No.'],
    ['<thi', false, ''],
    ['<thi', true, '<thi'],
    ['<think>never ends', true, ''],
    ['They typed \\` once.</think>Yes.', true, 'Yes.'],
    ['A mark: \\\\`</think>` here.', true, 'A mark: \\\\`</think>` here.'],
    ['Use <think> tags.', false, 'Use <think> tags.'],
    ['<thinker>', false, '<thinker>'],
    ['Seven.</th', false, 'Seven.'],
    ['', false, ''],
  ])('of %j (complete: %s) is %j', (written, isComplete, visible) => {
    expect(read(written.split(''), isComplete).visible).toBe(visible);
  });

  test('never removes text that was already shown', () => {
    fc.assert(
      fc.property(
        fc
          .string()
          .map((answer) => answer.trimStart())
          .filter((answer) => answer !== ''),
        fc.string().filter((thought) => !thought.includes('</think>') && !/\s`+$/.test(thought)),
        fc.boolean(),
        (answer, thought, thinks) => {
          const written = thinks ? `<think>${thought}</think>${answer}` : `.${answer}`;
          let shown = '';
          for (let length = 1; length <= written.length; length++) {
            const { visible } = read(written.slice(0, length).split(''), false);
            expect(visible.startsWith(shown)).toBe(true);
            shown = visible;
          }
          expect(read(written.split('')).visible).toBe((thinks ? answer : `.${answer}`).trim());
        },
      ),
    );
  });
});

describe('reasoning in the text of an answer', () => {
  const spellings = [
    ['<think>', '</think>'],
    ['<THINK>', '</THINK>'],
    ['<Think >', '</think >'],
    ['<think type="deep" budget=3>', '</think>'],
    ['<thinking>', '</thinking>'],
    ['<thought>', '</thought>'],
    ['<reasoning>', '</reasoning>'],
    ['<seed:think>', '</seed:think>'],
    ['<longcat_think>', '</longcat_think>'],
    ['[THINK]', '[/THINK]'],
    ['◁think▷', '◁/think▷'],
    ['<|START_THINKING|>', '<|END_THINKING|>'],
    ['<|channel>thought\n', '<channel|>'],
    ['<|channel|>analysis<|message|>', `<|end|>${HEADER}final<|message|>`],
    [`${HEADER}analysis<|message|>`, '<|channel|>final<|message|>'],
  ] as const;

  test.each(spellings)('between %s and %s is kept apart', (opening, closing) => {
    const written = `${opening}Let me see.\nSeven.${closing}\n\nIt is **7**.`;
    expect(read([written])).toEqual({ visible: 'It is **7**.', reasoning: 'Let me see.\nSeven.' });
  });

  test.each(
    spellings.flatMap(([, closing]) => [
      ['Let me see. Seven.', closing, '\n\nIt is 7.'],
      ['Let me see.\n\nSeven.\n', closing, '\nIt is 7.'],
      ['Seven. ', closing, 'It is 7.'],
      ['so seven', closing, 'It is 7.'],
      ['Ein ` zu viel.\n', closing, '\n\nEs ist `7`.'],
      ['\n', closing, '\n\nIt is 7.'],
    ]),
  )('before a lone mark is kept apart: %j %s %j', (thought, closing, answer) => {
    expect(read([thought + closing + answer])).toEqual({ visible: answer.trim(), reasoning: thought.trim() });
  });

  test.each([
    ['<think>a</think>First.\n\n<think>b</think>\n\nSecond.', 'First.\n\nSecond.', 'a\n\nb'],
    ['<think>a</think>First.<think>b</think>Second.', 'First.Second.', 'a\n\nb'],
    ['First. <think>b</think> Second.', 'First. Second.', 'b'],
    ['First.\n<thought>b</thought>\nSecond.', 'First.\n\nSecond.', 'b'],
    ['<think>It is **7**</think>**7**', '**7**', 'It is **7**'],
    ['It is **7**</think>**7**', '**7**', 'It is **7**'],
    ['<think>He says "yes"</think>"Yes."', '"Yes."', 'He says "yes"'],
    ['Use `x`.</think>`x` it is.', '`x` it is.', 'Use `x`.'],
    ['<think></think>\n\nYes.', 'Yes.', ''],
    ['<think>\n\n</think>\n\n<think>b</think>Yes.', 'Yes.', 'b'],
    ['<think>a<think>b</think>c</think>\n\nYes.', 'Yes.', 'a<think>b\n\nc'],
    ['<think>The tag `</think>` ends it.</think>Yes.', 'Yes.', 'The tag `</think>` ends it.'],
    [
      `<|channel|>analysis<|message|>a<|end|>${HEADER}analysis<|message|>b<|end|>${HEADER}final<|message|>Yes.<|return|>`,
      'Yes.',
      'a\n\nb',
    ],
    [
      `<|channel|>commentary to=functions.add <|constrain|>json<|message|>{"a":1}<|call|>${HEADER}final<|message|>Two.`,
      'Two.',
      '{"a":1}',
    ],
    ['<|channel|>final<|message|>Yes.<|return|>', 'Yes.', ''],
  ])('of several blocks: %j', (written, visible, reasoning) => {
    expect(read([written])).toEqual({ visible, reasoning });
  });

  test.each([
    'Models wrap it in `<think>` and `</think>`.',
    'The mark `</think>` ends it.\n\nSo does `</thinking>`.',
    '```xml\n<think>\nhm\n</think>\n```\n\nThat is it.',
    '~~~\nhm\n</think>\n\nyes\n~~~',
    '- Example:\n  ```\n  a\n  </think>\n  ```',
    '> ```\n> a\n> </think>\n> ```\n> done',
    'An example:\n\n    <think>\n    hm\n    </think>\n\nThat is it.',
    'Use <think> tags, and close them with </think> at the end.',
    'The template writes <think>, so only </think> comes back.',
    'Everything before "</think>" is reasoning. (</think>) too, and **</think>** as well.',
    'It is between <think> and </think>\n\nNext paragraph.',
    '<think> and </think> are tags of models.',
    '<think>…</think> is a pair of tags.',
    '<think> is a tag of models.',
    '</think> ends the reasoning.',
    '- <think> opens it\n- </think> closes it\n1. </think> Closes it, too.',
    '| mark | use |\n| --- | --- |\n| <think> | opens |\n| </think> | closes |',
    'Teги <think> и </think> отмечают рассуждения.',
    'Mistral has [THINK] and [/THINK], Kimi ◁think▷ and ◁/think▷.',
    'gpt-oss writes <|channel|>analysis<|message|> first, and <|channel|>final<|message|> after it.',
    'See [THINK.md](https://example.org) or a < b.',
  ])('is not what a text about the marks is: %j', (written) => {
    expect(read([written])).toEqual({ visible: written, reasoning: '' });
    expect(read(written.split(''))).toEqual({ visible: written, reasoning: '' });
  });

  const pieces = fc.constantFrom(
    ...spellings.flat(),
    ...[
      '\n',
      '\n\n',
      ' ',
      '`',
      '```',
      '```\n',
      '.',
      ', ',
      'seven',
      'Ja',
      '"',
      '- ',
      '> ',
      '    ',
      '<',
      '</',
      '\\',
      '思',
      '|',
    ],
    ...['<|end|>', '<|return|>', '<|start|>', '[', '◁', '<div>', '</answer>'],
  );

  test('is the same however the text is cut into deltas', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 14 }), fc.array(fc.nat(9), { maxLength: 60 }), (parts, cuts) => {
        const written = parts.join('');
        const deltas: string[] = [];
        let position = 0;
        for (const cut of cuts) {
          deltas.push(written.slice(position, position + cut));
          position += cut;
        }
        const whole = read([written]);
        expect(read([...deltas, written.slice(position)])).toEqual(whole);
        expect(read(written.split(''))).toEqual(whole);
      }),
      { numRuns: countInputs(2000) },
    );
  });

  test('takes time proportional to a hostile text', () => {
    const hostile = [
      '<',
      '<think>',
      '</think>',
      'x</think>',
      'x\n<think></think>\n',
      '`</think>',
      '<|end|>',
      '<|channel|>',
      ' ',
      '</think> ',
      '<think a',
    ];
    for (const piece of hostile) {
      const text = new GrowingText();
      const cpuMs = measureStep(() => {
        for (let written = 0; written < 200_000; written += piece.length) text.add(piece);
        text.end();
      });
      expect(cpuMs, piece).toBeLessThan(3000);
    }
  });
});
