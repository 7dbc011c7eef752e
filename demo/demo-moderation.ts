import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  type ModerationInput,
  type ModerationModel,
  type ModerationResult,
  ProviderRejectedError,
} from '../src/core/models/index.ts';

export const DEMO_MODERATION_MODEL = 'demo-moderation';

/** Maximum length of an input: longer ones would hold the thread. */
const MAX_LENGTH = 100_000;

/** OpenAI's categories, with the beginnings of words that the demonstration looks for. */
const CATEGORIES: Readonly<Record<string, RegExp | undefined>> = {
  harassment: /(?<!\p{L})(idiots?|morons?|идиот\p{L}*|дура?к\p{L}*)(?!\p{L})/iu,
  'harassment/threatening': undefined,
  hate: undefined,
  'hate/threatening': undefined,
  illicit: /(?<!\p{L})(cocaine|heroin|кокаин\p{L}*|героин)(?!\p{L})/iu,
  'illicit/violent': undefined,
  'self-harm': /(?<!\p{L})(suicide|самоубийств\p{L}*)(?!\p{L})/iu,
  'self-harm/instructions': undefined,
  'self-harm/intent': undefined,
  sexual: /(?<!\p{L})(porn\p{L}*|порно\p{L}*)/iu,
  'sexual/minors': undefined,
  violence: /(?<!\p{L})(kill(s|ed|ing|er)?|murder\p{L}*|stab(s|bed)?|уби(ть|л|ли|ла|йств\p{L}*|ваю|вать))(?!\p{L})/iu,
  'violence/graphic': undefined,
};

/**
 * Creates a model that looks for a dozen words in five of OpenAI's categories. It shows that a program works, and
 * protects from nothing; scores are 0 or 1.
 */
export function createDemoModeration({ provider }: { readonly provider: string }): ModerationModel {
  return {
    async moderate({ model, inputs }, signal) {
      const texts = inputs.map((input) => readText(provider, input));
      const results: ModerationResult[] = [];
      for (const text of texts) {
        signal.throwIfAborted();
        results.push(judge(text));
        await yieldToEventLoop();
      }
      return { results, id: undefined, reportedModel: model, provider, model };
    },
  };
}

/** @throws ProviderRejectedError for images and long texts. */
function readText(provider: string, input: ModerationInput): string {
  const refuse = (message: string) =>
    new ProviderRejectedError(provider, 400, { message, param: 'input', code: 'invalid_value' });
  const parts = typeof input === 'string' ? [{ type: 'text', text: input } as const] : input;
  const texts = parts.map((part) => {
    if (part.type === 'text') return part.text;
    throw refuse('The demonstration moderates texts only, not images');
  });
  const text = texts.join('\n');
  if (text.length > MAX_LENGTH) throw refuse(`An input of the demonstration has at most ${MAX_LENGTH} characters`);
  return text;
}

function judge(text: string): ModerationResult {
  const applies = Object.entries(CATEGORIES).map(([name, words]) => [name, words?.test(text) ?? false] as const);
  return {
    flagged: applies.some(([, isApplied]) => isApplied),
    categories: Object.fromEntries(applies),
    scores: Object.fromEntries(applies.map(([name, isApplied]) => [name, isApplied ? 1 : 0])),
  };
}
