import { z } from 'zod';
import type { StoredImageJob } from '../../../core/image-jobs/index.ts';
import { parseRatio } from '../../../core/images/index.ts';
import { renameFormerFields } from '../../kit/actions.ts';

const imagineOptions = z.object({
  /** The user's text; empty while the dialog asks for it. */
  prompt: z.string(),
  /** One of `ASPECT_RATIOS`. Default: that of the source, or square. */
  ratio: z.string().optional(),
  /** Public name. Default: the user's model. */
  model: z.string().optional(),
  count: z.number().optional(),
  seed: z.number().optional(),
  /** Image to edit: from Telegram, or generated here. */
  source: z
    .preprocess(
      renameFormerFields,
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('telegram'), fileId: z.string(), limitMb: z.number() }),
        z.object({ kind: z.literal('kept'), imageId: z.number() }),
      ]),
    )
    .optional(),
  /** Telegram message that the images reply to. */
  replyTo: z.number().optional(),
});

/** Image request of a user. Stored as JSON in the database: fields that are added later must be optional. */
export type ImagineOptions = z.infer<typeof imagineOptions>;

/** Returns the request of a stored job; undefined if this version does not understand it. */
export function readImagineOptions(imageJob: StoredImageJob | undefined): ImagineOptions | undefined {
  return imagineOptions.safeParse(imageJob?.options).data;
}

/** Parsed text after `/imagine`. Missing options are undefined. */
export interface ImagineArguments {
  /** Text without the options; empty if there is none. */
  readonly prompt: string;
  /** One of `ASPECT_RATIOS`. */
  readonly ratio?: string;
  /** Name or part of a name, as written. */
  readonly model?: string;
  readonly count?: number;
  readonly seed?: number;
}

/** Mistake in the options. `value` is the written value, empty if there is none. */
export type ImagineProblem =
  | { readonly kind: 'flag' | 'ratio' | 'model' | 'count' | 'seed'; readonly value: string }
  | { readonly kind: 'length'; readonly length: number };

/** Maximum length of a prompt in characters. */
export const MAX_PROMPT = 4000;

type FlagName = 'ratio' | 'model' | 'count' | 'seed';
const FLAGS: Readonly<Record<string, FlagName>> = {
  ratio: 'ratio',
  ar: 'ratio',
  model: 'model',
  n: 'count',
  count: 'count',
  seed: 'seed',
};

/**
 * Parses the text and options of an `/imagine` command. Options are recognized anywhere: `--ratio 16:9`,
 * `--ratio=16:9`, `-n 4`, and `—ratio 16:9`, because phones replace two hyphens by a dash. The last of several equal
 * options counts.
 */
export function parseImagine(text: string): ImagineArguments | { readonly problem: ImagineProblem } {
  const tokens = [...text.matchAll(/\S+/g)].map((match) => ({ word: match[0], start: match.index }));
  const parts: string[] = [];
  let parsed: Omit<ImagineArguments, 'prompt'> = {};
  let keptFrom = 0;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    const flag = token && readFlag(token.word);
    if (!token || !flag) continue;
    if (flag.name === undefined) return { problem: { kind: 'flag', value: token.word } };
    const next = flag.value === undefined ? tokens[index + 1] : undefined;
    const value = flag.value ?? (next && !readFlag(next.word) ? next.word : '');
    const change = readValue(flag.name, value);
    if (!change) return { problem: { kind: flag.name, value } };
    parsed = { ...parsed, ...change };
    parts.push(text.slice(keptFrom, token.start));
    const last = next ?? token;
    keptFrom = last.start + last.word.length;
    if (next) index += 1;
  }
  const prompt = [...parts, text.slice(keptFrom)]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ');
  return prompt.length > MAX_PROMPT ? { problem: { kind: 'length', length: prompt.length } } : { prompt, ...parsed };
}

/** Returns undefined for ordinary words; without `name` for unknown options. */
function readFlag(word: string): { name: FlagName | undefined; value: string | undefined } | undefined {
  const match = /^(--?|[—–])([a-z][a-z-]*)(?:=(.*))?$/i.exec(word);
  const [, dash, written = '', value] = match ?? [];
  if (dash === undefined) return undefined;
  const lower = written.toLowerCase();
  const name = Object.hasOwn(FLAGS, lower) ? FLAGS[lower] : undefined;
  // Dashes and single hyphens also occur in prose, so with them only known options count.
  if (dash === '--') return { name, value };
  return name !== undefined && (dash !== '-' || lower === 'n') ? { name, value } : undefined;
}

/** Telegram's limit for an album. */
const MAX_COUNT = 10;
const MAX_SEED = 2 ** 31 - 1;

function readValue(name: FlagName, value: string): Omit<ImagineArguments, 'prompt'> | undefined {
  switch (name) {
    case 'ratio': {
      const ratio = value.replace(/[x×/]/i, ':');
      return parseRatio(ratio) && { ratio };
    }
    case 'model':
      return value === '' ? undefined : { model: value };
    case 'count':
      return isWhole(value, 1, MAX_COUNT) ? { count: Number(value) } : undefined;
    case 'seed':
      return isWhole(value, 0, MAX_SEED) ? { seed: Number(value) } : undefined;
  }
}

function isWhole(value: string, min: number, max: number): boolean {
  return /^\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max;
}
