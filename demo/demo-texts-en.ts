import type { DemoTexts } from './demo-texts.ts';

export const ENGLISH_DEMO_TEXTS: DemoTexts = {
  greeting:
    'Hello! I am a **demonstration**, not a language model: everything I say was written in advance. Connect a provider to get real answers.\n\nAsk for `help` to see what I can show you.',
  help: `I am a demonstration. This is what you can try:

- **markdown** – headings, lists, a table, code, a formula and a quote in one answer
- **table**, **code**, **formula**, **list**, **quote** – just one of them
- **write a long answer** – several pages, to see how they are split and how *Stop* works
- **what did I say before?** – shows whether the conversation is remembered
- **what is your system prompt?** – shows whether a system prompt reaches the model
- **count to 20** – numbers, one after another
- **repeat: your words** – I repeat them exactly
- an **image** – I tell you that it arrived
- “what is 12*34?”, “what time is it in Tokyo?”, “draw a fox in snow” – I use tools
- “remember that my dog is called Rex”, then \`/memory\` – notes for later conversations
- “remind me in 1 minute to drink tea”, “every day at 9 count to 5”, then \`/tasks\` – reminders and tasks
- “draw a pie chart of apples 3, pears 5, plums 2” – a chart
- “search my documents for boat” – what you gave me, as \`/find\` does; “search the web for …” with a search service
- \`/imagine a fox in snow\` – \`demo-image\` creates it

To talk to a real model, set the key of a provider, for example \`GROQ_API_KEY\`, or run [Ollama](https://ollama.com) on this machine, and restart.`,
  whoAmI:
    'I am the built-in demonstration: not a language model, only prepared texts. I understand a few words. Ask for `help` to see which.',
  thanks: 'You are welcome! I only read prepared lines, but I read them gladly.',
  goodbye: 'Goodbye! When you come back with the key of a provider, a real model will answer here.',
  markdownStart: `# A heading

A paragraph with **bold**, *italic*, ~~struck~~ words, \`code\` and [a link](https://example.com).`,
  samples: {
    list: `## Lists

1. First
2. Second
   - with a point
   - and another
3. Third

- [x] done
- [ ] still to do`,
    table: `## A table

| Planet | Moons | Day, hours |
| :--- | ---: | :---: |
| Earth | 1 | 24 |
| Mars | 2 | 24.6 |
| Jupiter | 95 | 9.9 |`,
    code: `## Code

\`\`\`typescript
const greet = (name: string) => \`Hello, \${name}!\`;
console.log(greet('world'));
\`\`\``,
    formula: `## A formula

Inline $E = mc^2$, and on a line of its own:

$$
\\int_{-\\infty}^{\\infty} e^{-x^2}\\,dx = \\sqrt{\\pi}
$$`,
    quote: `## A quote

> What is written without effort is in general read without pleasure.
>
> — Samuel Johnson`,
  },
  markdownEnd: 'That was everything. I am a demonstration; a real model decides for itself what to use.',
  prepared: [
    {
      question: /\bblack holes?\b/i,
      answer:
        'Imagine a trampoline with a very heavy ball in the middle. Marbles that roll near it curve towards the ball. A **black hole** is like a ball so heavy and so small that the cloth becomes a hole without a bottom: whatever rolls over the edge never comes back, *not even light*.\n\nThat is why it is black. We find black holes by watching how the stars around them move.\n\n*(A prepared answer of the demonstration.)*',
    },
    {
      question: /\blisbon\b/i,
      answer:
        '## A weekend in Lisbon\n\n| | Saturday | Sunday |\n| :--- | :--- | :--- |\n| Morning | Alfama and the castle | Belém: the tower and the monastery |\n| Afternoon | Tram 28 to Graça, a viewpoint | Pastéis de nata, the river by bicycle |\n| Evening | Fado in Mouraria | Sunset at Cais das Colunas |\n\n*(A prepared answer of the demonstration.)*',
    },
    {
      question: /\b(eggs? and rice|dinners?)\b/i,
      answer:
        '1. **Fried rice** – cold rice, two eggs, whatever vegetables are left, soy sauce.\n2. **Rice omelette** – season the rice with tomato, fold it into a soft omelette.\n3. **Egg drop soup with rice** – hot broth, beaten eggs in a thin stream, rice at the bottom of the bowl.\n\n*(A prepared answer of the demonstration.)*',
    },
  ],
  longIntroduction:
    'You asked for a long answer. It is long on purpose: watch how it is delivered while it grows, how it is split into pages, and try to stop it.',
  longEnd: 'This is the end of the long answer. If you can read this line, everything arrived.',
  chapters: [
    {
      title: 'The harbour',
      body: 'In the morning the harbour is a list of small sounds: ropes that creak, a bucket that is emptied, gulls that disagree about everything. The boats come in one after the other, low in the water, and each one is met by the same three people with the same three questions. How much, from where, and who saw the weather turn. The answers are written down in pencil, because ink does not forgive wet hands.',
    },
    {
      title: 'The lighthouse',
      body: 'The lighthouse stands on the last rock that deserves the name. Its keeper counts in flashes: two short, one long, a pause of nine seconds. Ships know a coast by such numbers, as one knows a friend by the way he knocks. Once in forty years the lamp failed, and for eleven minutes every captain on that sea was a beginner again.',
    },
    {
      title: 'The railway',
      body: 'A railway is a promise made of iron: at this minute, from this platform, whatever you think of Mondays. The timetable was drawn with a ruler by a man who had never missed a train and could not imagine that anybody would. Where two lines cross there is a café, and in the café a clock that runs four minutes fast out of kindness.',
    },
  ],
  noHistory: 'This is your first message in this conversation, so there is nothing earlier to repeat.',
  history: (said) =>
    `Before this you said:\n\n${said.map((text, index) => `${index + 1}. ${text}`).join('\n')}\n\nI received the whole conversation; a real model would use it to answer.`,
  noSystemPrompt: 'I was given no system prompt.',
  systemPrompt: (prompt) =>
    `My system prompt says:\n\n> ${prompt.replaceAll('\n', '\n> ')}\n\nI only repeat it; a real model would follow it.`,
  images: (count) =>
    count === 1
      ? 'I got your image. I am a demonstration and cannot see what it shows; a model with vision would tell you.'
      : `I got your ${count} images. I am a demonstration and cannot see what they show; a model with vision would tell you.`,
  document: ({ name, words, excerpt }) =>
    `I got **${name}** with ${words} ${words === 1 ? 'word' : 'words'}. It begins:\n\n> ${excerpt}\n\nI am a demonstration and do not understand it; a real model would answer from the document.`,
  toolAnswered: (result) =>
    `The tool answered:\n\n\`\`\`\n${result}\n\`\`\`\n\nA real model would now use it in its answer.`,
  calculated: (equation) => `**${equation.replaceAll('*', '×')}**\n\nI can't calculate: I used the calculator, a tool.`,
  toldTime: (time) => `It is ${time}.\n\nI have no clock: I used a tool.`,
  orderedImage: '`demo-image` is creating it.',
  drewChart: 'Here it is: a tool has drawn your numbers.',
  savedNote: (note) => `Saved: ${note}`,
  changedMemory: (result) =>
    `${result}\n\n\`/memory\` lists the notes. A real model reads them in later conversations.`,
  scheduledTask: 'Done. `/tasks` lists what is planned.',
  fallback: (excerpt) =>
    `I got “${excerpt}”, but I am a demonstration with prepared texts and can't answer it.\n\nAsk for **help** to see what I can show: Markdown, long answers, code, formulas and more. For real answers, set the key of a provider.`,
  empty: 'Your message was empty. Ask for `help` to see what I can show you.',
};
