import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRichSupport } from '../../src/bot/reply-stream/page-formats.ts';
import { createPagePlanner } from '../../src/bot/reply-stream/page-plan.ts';
import { createReplyHarness, paginate } from '../support/harness/replies.ts';
import type { Fate, ScriptedCall, ShownMessage } from '../support/hosts/scripted-telegram.ts';
import { countInputs } from '../support/vitest/tiers.ts';

const CHAT_ID = 7;

const markdownPiece = fc.oneof(
  fc.lorem({ maxCount: 12 }).map((words) => `${words} `),
  fc.constantFrom(
    '**bold words** ',
    '`code` ',
    '_tilted_ ',
    '[a link](https://example.org/) ',
    '\n\n',
    '\n',
    '# Heading\n\n',
  ),
  fc.constantFrom(
    '- one\n- two\n  - three\n\n',
    '1. first\n2. second\n\n',
    '> quoted\n> words\n\n',
    '| a | b |\n| - | - |\n| 1 | 2 |\n\n',
  ),
  fc.constantFrom(
    '```ts\nconst answer = 42;\nconsole.log(answer);\n```\n',
    '```\nplain\n',
    '$x^2$ ',
    '$$\\frac{a}{b}$$\n\n',
    '👩‍👩‍👧‍👦',
    '🦊🦊🦊 ',
    '👍🏽',
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
);

function toContent({ text, entities, rich }: ShownMessage) {
  return rich === undefined ? { text, entities } : { text, entities, rich };
}

const markdown = fc.array(markdownPiece, { maxLength: 40 }).map((pieces) => pieces.join(''));

/** Outcomes of edits and deletions, which can be repeated safely. */
const repeatable: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Fate>('normal') },
  fc.constantFrom<Fate>(
    'lost-answer',
    'lost-request',
    'refused',
    'hang',
    { status: 500 },
    { status: 502, isExecuted: true },
  ),
  fc.record({ status: fc.constant(429), retryAfter: fc.integer({ min: 1, max: 20 }) }),
  // May be executed after the next call was made.
  fc.record({ late: fc.integer({ min: 8000, max: 9500 }) }),
);

/** Outcomes of sends. The test itself reports whether a send of unknown outcome arrived. */
const unrepeatable: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Fate>('normal') },
  fc.constantFrom<Fate>('lost-answer', 'lost-request', 'refused', { status: 502, isExecuted: true }),
  fc.record({ status: fc.constant(429), retryAfter: fc.integer({ min: 1, max: 20 }) }),
);

const happening = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('update' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pause' as const), ms: fc.integer({ min: 1, max: 6000 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unrelated' as const), text: markdown }) },
);

it('the chat ends with exactly the finished Markdown, whatever is streamed and whatever fails', async () => {
  await fc.assert(
    fc.asyncProperty(
      markdown,
      fc.array(happening, { maxLength: 25 }),
      fc.array(repeatable, { maxLength: 30 }),
      fc.array(unrepeatable, { maxLength: 15 }),
      fc.constantFrom(80, 150, 400),
      fc.boolean(),
      async (final, happenings, editFates, sendFates, maxUnits, isRich) => {
        const stage = createReplyHarness();
        const pending = { edits: [...editFates], sends: [...sendFates] };
        stage.telegram.decide(
          (call: ScriptedCall) =>
            (/^send(Rich)?Message$/.test(call.method) ? pending.sends.shift() : pending.edits.shift()) ?? 'normal',
        );
        const known = new Set<number>();
        const stream = stage.stream(
          {},
          {
            maxUnits,
            richSupport: isRich ? createRichSupport() : undefined,
            streamingKeyboard: () => ({ inline_keyboard: [[{ text: 'Stop', callback_data: 'stop' }]] }),
            onDelivered: (page) => void known.add(page.messageId),
            findLostSend: async () =>
              stage.telegram.transcript(CHAT_ID).find(({ messageId }) => !known.has(messageId))?.messageId ?? 'absent',
          },
        );
        for (const event of happenings) {
          if (event.kind === 'pause') await stage.clock.advance(event.ms);
          if (event.kind === 'update') stream.update(final.slice(0, Math.ceil(final.length * event.share)));
          if (event.kind === 'unrelated') stream.update(event.text);
        }
        const delivered = await stage.settle(stream.finish(final));
        await stage.clock.advance(20_000);
        const messages = stage.telegram.transcript(CHAT_ID);
        const planned = await createPagePlanner({ maxUnits }).planFinal(final, { isRich });
        // A rich page is sent as text after several calls without a response.
        const wanted = planned.map(({ text, entities, rich }, index) =>
          messages[index]?.rich === undefined ? { text, entities } : { text: '', entities: [], rich: rich?.blocks },
        );
        expect(messages.map(toContent)).toEqual(wanted);
        expect(planned.map(({ text, entities }) => ({ text, entities }))).toEqual(paginate(final, maxUnits));
        expect(messages.every((message) => message.keyboard === undefined)).toBe(true);
        expect(delivered).toEqual(messages.map(({ messageId }, index) => ({ index, messageId })));
        expect(stage.clock.pending).toBe(0);
      },
    ),
    { numRuns: countInputs(150) },
  );
});
