import type { z } from 'zod';
import type { AnswerName } from './answers.ts';

/** A route as the document has it. */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** Markdown. */
  readonly description?: string;
  /** What has to be shown. `maybe`: an API key that may be left away. */
  readonly credential: 'api-key' | 'maybe' | 'owner-key' | 'metrics-token' | 'none';
  readonly parameters?: readonly Parameter[];
  readonly body?: Body;
  readonly answers: Readonly<Record<number, Answer>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
}

export type Body =
  /** `fields` says what the fields of the schema mean. */
  | { readonly schema: z.ZodType; readonly fields: Readonly<Record<string, string>>; readonly example: object }
  | { readonly mediaType: string; readonly schema: object };

export interface Answer {
  readonly description: string;
  /** A JSON body. */
  readonly schema?: AnswerName;
  /** Other bodies, by their media type, with words. */
  readonly other?: Readonly<Record<string, string>>;
}
