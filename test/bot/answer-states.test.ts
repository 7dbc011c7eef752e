import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AnswerState, FINISH_REASONS, fromRow, TRANSITIONS } from '../../src/bot/answers/answer.ts';
import type { MessageExtras } from '../../src/core/conversations/index.ts';

const STATES = Object.keys(TRANSITIONS) as readonly AnswerState[];
const BEFORE_THE_END: ReadonlySet<AnswerState> = new Set(['queued', 'generating', 'streaming']);

/** Returns what the database has of an answer in a state. */
function toRow(state: AnswerState, content: string, reason: string, extras: MessageExtras) {
  const reasons = FINISH_REASONS[state] ?? [reason];
  return {
    content,
    extras,
    finishReason: BEFORE_THE_END.has(state) ? undefined : reasons[content.length % reasons.length],
  };
}

function canReach(from: AnswerState, to: AnswerState, seen: ReadonlySet<AnswerState> = new Set()): boolean {
  if (from === to) return true;
  return TRANSITIONS[from].some((next) => !seen.has(next) && canReach(next, to, new Set([...seen, from])));
}

/** Ways from `queued` until the chat shows the answer. */
const walks = fc.array(fc.nat(), { maxLength: 40 }).map((choices) => {
  const walk: AnswerState[] = ['queued'];
  for (const choice of choices) {
    const next = TRANSITIONS[walk.at(-1) ?? 'queued'];
    walk.push(next[choice % next.length] ?? 'queued');
    if (walk.at(-1) === 'shown') break;
  }
  return walk;
});

describe('the states of an answer', () => {
  test('every one is reached, and leads to an answer that the chat shows', () => {
    for (const state of STATES) {
      expect(canReach('queued', state), state).toBe(true);
      expect(canReach(state, 'shown'), state).toBe(true);
    }
  });

  test('a crash at any point leaves a row from which the answer can be shown', () => {
    fc.assert(
      fc.property(walks, fc.string(), fc.boolean(), fc.boolean(), (walk, content, isComputing, mayGenerate) => {
        for (const state of walk.filter((one) => one !== 'shown')) {
          const row = toRow(state, content, 'stop', isComputing && state === 'streaming' ? { isComputing } : {});
          const { state: recovered, written } = fromRow(row, mayGenerate);
          if (!BEFORE_THE_END.has(state)) expect(recovered).toBe(state);
          expect(canReach('queued', recovered)).toBe(true);
          // What a model has written is never lost, and a failed answer says so.
          expect(written?.text ?? content).toBe(content);
          if (written && row.finishReason === undefined) expect(written.finishReason).not.toBe('stop');
          expect(written?.extras ?? {}).toEqual({});
          if (recovered === 'interrupted') expect(written?.failure).toBeDefined();
        }
      }),
    );
  });

  test('an answer is generated again only if no tool was computing and it is not too old', () => {
    const row = { content: 'Half', finishReason: undefined, extras: {} };
    expect(fromRow(row, true)).toEqual({ state: 'queued' });
    expect(fromRow(row, false)).toMatchObject({ state: 'written', written: { text: 'Half', finishReason: 'length' } });
    expect(fromRow({ ...row, content: '' }, false)).toMatchObject({ state: 'interrupted' });
    const ended = { state: 'interrupted', written: { failure: { kind: 'toolEndedProcess' }, extras: {} } };
    expect(fromRow({ ...row, extras: { isComputing: true } }, true)).toMatchObject(ended);
  });

  test('are those of the table in ARCHITECTURE.md', () => {
    const toReason = (state: AnswerState) => {
      if (BEFORE_THE_END.has(state)) return '';
      if (state === 'shown') return 'as before';
      return FINISH_REASONS[state]?.map((reason) => `\`${reason}\``).join(', ') ?? 'any other';
    };
    const rows = STATES.map(
      (state) =>
        `| ${state} | ${toReason(state)} | ${state === 'shown' ? 'set' : ''} | ${TRANSITIONS[state].join(', ')} |`,
    );
    const table = /\| state \|.*\n\| ---.*\n((?:\|.*\n)+)/.exec(readFileSync('ARCHITECTURE.md', 'utf8'))?.[1];
    expect(table?.trimEnd().split('\n')).toEqual(rows);
  });
});
