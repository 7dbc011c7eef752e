/** All texts of the demonstration in one language. */
export interface DemoTexts {
  readonly greeting: string;
  readonly help: string;
  readonly whoAmI: string;
  readonly thanks: string;
  readonly goodbye: string;
  /** Markdown, each with a heading. */
  readonly samples: Readonly<Record<'list' | 'table' | 'code' | 'formula' | 'quote', string>>;
  readonly markdownStart: string;
  readonly markdownEnd: string;
  /** Answers to the questions that the bot suggests on `/start`. */
  readonly prepared: readonly { readonly question: RegExp; readonly answer: string }[];
  /** Chapters of a long answer. */
  readonly chapters: readonly { readonly title: string; readonly body: string }[];
  readonly longIntroduction: string;
  readonly longEnd: string;
  readonly noHistory: string;
  readonly history: (said: readonly string[]) => string;
  readonly noSystemPrompt: string;
  readonly systemPrompt: (prompt: string) => string;
  readonly images: (count: number) => string;
  readonly document: (facts: { readonly name: string; readonly words: number; readonly excerpt: string }) => string;
  readonly toolAnswered: (result: string) => string;
  readonly calculated: (equation: string) => string;
  readonly toldTime: (time: string) => string;
  readonly orderedImage: string;
  readonly drewChart: string;
  readonly savedNote: (note: string) => string;
  readonly changedMemory: (result: string) => string;
  readonly scheduledTask: string;
  readonly fallback: (excerpt: string) => string;
  readonly empty: string;
}
