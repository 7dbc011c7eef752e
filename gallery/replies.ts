/** Answer of a scripted model. */
export interface ScriptedReply {
  /** Markdown. */
  readonly text: string;
  readonly thoughts?: string;
  /** Tool calls before the answer. */
  readonly toolCalls?: readonly { readonly name: string; readonly input: object }[];
  readonly finishReason?: string;
  /** The stream stays open after the text, so that the answer is not finished. */
  readonly isHeld?: boolean;
}

/** Transcript of every voice message. */
export const HEARD_WORDS = 'What should I see in Lisbon if I only have one day?';

const LISBON_DAY = `One day is enough for the heart of Lisbon:

1. **Morning:** tram 28 up to *Alfama*, the view from Miradouro das Portas do Sol.
2. **Noon:** lunch at the Time Out Market.
3. **Afternoon:** Belém, its tower, and a warm *pastel de nata*.
4. **Evening:** sunset over the river at Cais do Sodré.

Take good shoes: the city is built on hills.`;

const CODE_AND_TABLE = `Both find the *n*th number; the second one does not count everything twice.

\`\`\`python
def fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
\`\`\`

| way | steps for n = 30 | memory |
|---|--:|---|
| recursive | 1 664 079 | 30 calls |
| loop | 30 | 2 numbers |

In closed form: $F_n = \\frac{\\varphi^n - \\psi^n}{\\sqrt{5}}$ with $\\varphi = \\frac{1 + \\sqrt{5}}{2}$.`;

const REPLIES: readonly (readonly [
  question: RegExp,
  reply: ScriptedReply | Readonly<Record<string, ScriptedReply>>,
])[] = [
  [
    /sky blue/i,
    {
      text: `Sunlight looks white, but it is a mixture of **all colours**.

On its way through the air it meets molecules that are far smaller than its waves. They scatter short waves much more than long ones: blue about *five times* as strongly as red (Rayleigh scattering).

So from every direction some`,
      isHeld: true,
    },
  ],
  [/fibonacci/i, { text: CODE_AND_TABLE }],
  [/only have one day/i, { text: LISBON_DAY }],
  [
    /name for a café/i,
    {
      aurora: { text: 'How about **The Slow Kettle**? It promises time, warmth and good tea.' },
      swift: { text: '**Bean & Gone** – short, cheerful, easy to remember.' },
    },
  ],
  [
    /hot dog/i,
    {
      aurora: {
        text: '**Yes.** A sandwich is a filling between bread, and nobody asks whether the bread is cut through: a sub is one, too.',
      },
      swift: {
        text: '**No.** Order a sandwich, get a hot dog, and you send it back. *Words mean what people mean by them.*',
      },
    },
  ],
  [
    /farmer.*river|river.*farmer/i,
    {
      thoughts:
        'The wolf eats the goat, the goat eats the cabbage. So the goat can never be left with either of them. The first crossing has to take the goat.\n\nThen one of the others, and the goat has to come back.',
      text: `Seven crossings are enough:

1. Take the **goat** over.
2. Go back alone.
3. Take the **wolf** over.
4. Bring the **goat** back.
5. Take the **cabbage** over.
6. Go back alone.
7. Take the **goat** over.

The goat is never left alone with the wolf or the cabbage.`,
    },
  ],
  [
    /1\.07/,
    {
      toolCalls: [{ name: 'calculator', input: { expression: '2500 * 1.07^12' } }],
      text: 'After 12 years you have **5 630.48 €**: your 2 500 € have more than doubled, because each year’s interest earns interest, too.',
    },
  ],
  [
    /tell me what is new/,
    {
      toolCalls: [
        {
          name: 'schedule_task',
          input: {
            kind: 'question',
            text: 'What is new about the Moon missions?',
            at: '2026-01-05T08:00',
            rrule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR',
            quiet: true,
          },
        },
      ],
      text: 'From Monday to Friday at 8:00 I look for news about the Moon missions, and write only if there are any.',
    },
  ],
  [
    /Moon missions\?/,
    {
      text: '**Artemis III** has passed its fuelling test: the tanks held for six hours, and the next step is the rehearsal of the countdown in March.',
    },
  ],
  [
    /vegetarian/i,
    {
      toolCalls: [{ name: 'remember', input: { text: 'Is vegetarian and allergic to nuts' } }],
      text: 'Noted: no meat and no nuts from now on.',
    },
  ],
  [
    /for dinner/i,
    {
      text: 'A **pumpkin risotto** with sage: creamy without nuts, done in 35 minutes, and two portions keep for tomorrow.',
    },
  ],
  [
    /northern lights/i,
    {
      toolCalls: [
        { name: 'web_search', input: { query: 'northern lights forecast Norway tonight', freshness: 'day' } },
      ],
      text: 'Yes: tonight is promising. The forecast is **Kp 5**, with clear sky over the north coast. Look north **between 22:00 and 1:00**, away from the lights of the town.',
    },
  ],
  [
    /as a chart/i,
    {
      toolCalls: [
        {
          name: 'draw_chart',
          input: {
            type: 'lines',
            title: 'Average temperature',
            unit: '°C',
            labels: ['Jan', 'Mar', 'May', 'Jul', 'Sep', 'Nov'],
            series: [
              { name: 'Oslo', values: [-4, 0, 11.5, 17.5, 12, 1] },
              { name: 'Lisbon', values: [11.5, 15, 18, 23.5, 22, 14.5] },
              { name: 'Cairo', values: [14, 18, 25, 28.5, 27, 19] },
            ],
          },
        },
      ],
      text: 'Cairo is warmest all year round; in July the three are closest, in January Oslo is below zero.',
    },
  ],
  [
    /photosynthesis/i,
    {
      text: 'Let us find it out together. What does a plant need so that it grows – and which of these things does it get from the *air*?',
    },
  ],
  [
    /deposit/i,
    {
      text: 'According to **§ 4**, the deposit is **two months’ rent (1 480 €)**. It has to be paid back *within 60 days* after you have moved out, less what repairs have cost.',
    },
  ],
  [
    /what is this|which bird/i,
    { text: 'A **drawing of a landscape**: hills in the evening light, and words that stand in the sky.' },
  ],
  [
    /quiet|courtyard/i,
    {
      text: '**Yes to the flat in Mill Street**, if the landlord repairs the bathroom window before June. 940 € with heating; the bedroom faces the courtyard. He wants an answer *by Friday*.',
    },
  ],
  [
    /train/i,
    {
      text: 'The 8:04 from platform 3 arrives at 10:37; with it you are at the hut before noon. The next one leaves at 9:04.',
    },
  ],
  [
    /bells/i,
    {
      text: 'Because their metal **swings back** after each blow: it presses the air about 440 times a second, and your ear hears an A.',
    },
  ],
  [/tea/i, { text: '**Green tea:** 80 °C, two minutes. **Black tea:** boiling water, three to five minutes.' }],
  [/tower/i, { text: 'The Eiffel Tower is **330 m** high, antennas included.' }],
];

/** Returns the answer of a model to a question; models may differ. */
export function findReply(question: string, model: string): ScriptedReply {
  const found = REPLIES.find(([pattern]) => pattern.test(question))?.[1];
  if (!found) return { text: 'Gladly! What would you like to know?' };
  return isReply(found) ? found : (found[model] ?? { text: '' });
}

function isReply(found: (typeof REPLIES)[number][1]): found is ScriptedReply {
  return 'text' in found;
}
