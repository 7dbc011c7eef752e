import { z } from 'zod';

const unixSeconds = z.int().describe('Unix time, seconds.');
const user = z.int().describe('Whom the key belongs to.');

const model = z.strictObject({
  id: z.string().describe('The name for `model` in requests.'),
  object: z.literal('model'),
  created: unixSeconds,
  owned_by: z.string(),
  type: z.enum(['chat', 'image']),
  name: z.string().optional().describe('A name for people.'),
  context_length: z.int().optional().describe('Tokens of prompt and answer together.'),
  pricing: z
    .strictObject({ prompt: z.string(), completion: z.string(), image: z.string().optional() })
    .optional()
    .describe('US dollars per token, and per picture.'),
  input_modalities: z.array(z.string()).optional(),
  output_modalities: z.array(z.string()),
});

/** Bodies of answers under the names that they have in the document. Objects of the service's own have no other fields. */
export const ANSWERS = {
  Error: z
    .strictObject({
      error: z.strictObject({
        message: z.string().describe('For people.'),
        type: z.string().describe('The family: `invalid_request_error`, `server_error`, …'),
        param: z.string().nullable().describe('The field of the body that is wrong.'),
        code: z.string().nullable().describe('The exact case, for programs.'),
      }),
    })
    .describe("OpenAI's error body."),
  FileError: z
    .strictObject({
      ok: z.literal(false),
      error: z.strictObject({
        code: z.string().describe('For programs.'),
        message: z.string().describe('For people.'),
      }),
    })
    .describe('The error body of everything about files.'),
  ChatCompletion: z
    .looseObject({
      id: z.string(),
      object: z.literal('chat.completion'),
      created: unixSeconds,
      model: z.string().describe('The model that answered.'),
      choices: z.array(z.looseObject({ index: z.int(), message: z.looseObject({ role: z.string() }) })).min(1),
    })
    .describe("The provider's completion as it came."),
  Feedback: z
    .strictObject({
      id: z.string(),
      rating: z.enum(['up', 'down']).nullable(),
      comment: z.string().nullable(),
    })
    .describe('The opinion as it is kept.'),
  NativeCompletion: z.strictObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: unixSeconds,
    model: z.string().describe('The model that answered.'),
    choices: z.array(
      z.strictObject({
        index: z.int(),
        message: z.strictObject({
          role: z.string(),
          content: z.string(),
          refusal: z.string().nullable().optional(),
          annotations: z.array(z.unknown()).optional(),
        }),
        finish_reason: z
          .string()
          .describe('`stop`; `error` where the generation failed; other words are the provider’s.'),
      }),
    ),
    usage: z
      .strictObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() })
      .describe('0 where the provider does not say.'),
    user,
  }),
  Imagen: z.strictObject({
    id: z.string(),
    created: unixSeconds,
    model: z.string().describe('The name that was asked for.'),
    files: z.array(z.string()).describe('One picture: a PNG, JPEG or WebP file in base64.'),
    size: z.strictObject({ width: z.int(), height: z.int() }).describe('Pixels, read from the file.'),
    ratio: z.string().describe('The ratio that was asked for.'),
    'elapsed-time': z.number().describe('Seconds of work, waiting not counted.'),
    usage: z.int().describe('About as many tokens: a 750th of the pixels.'),
    user,
  }),
  Images: z.strictObject({
    created: unixSeconds,
    data: z.array(
      z.strictObject({
        b64_json: z.string().optional(),
        url: z.string().optional().describe('A `data:` URL: nothing is stored.'),
        revised_prompt: z.string().optional(),
      }),
    ),
    size: z.string().optional(),
    output_format: z.string().optional(),
    usage: z.looseObject({ total_tokens: z.int() }),
  }),
  Model: model,
  ModelList: z.strictObject({ object: z.literal('list'), data: z.array(model) }),
  UploadedFile: z.strictObject({
    ok: z.literal(true),
    owner: z.string().describe('The owner key: who has it may delete the file. It is shown only here.'),
    url: z.string().describe('The link to the file.'),
    id: z.string(),
    name: z.string(),
    size: z.int().describe('Bytes.'),
    sha256: z.string().describe('Hexadecimal.'),
    expires_at: z.iso.datetime().optional(),
  }),
  Done: z.strictObject({ ok: z.literal(true) }),
  Alive: z.strictObject({ status: z.literal('ok') }),
  Readiness: z.strictObject({
    status: z.enum(['ready', 'not ready']),
    checks: z
      .record(z.string(), z.boolean())
      .describe('Which part works: `database`, `updates` (they can be stored), `bot`.'),
    reason: z.string().optional().describe('Why it is not ready.'),
  }),
  Places: z.strictObject({ name: z.string(), endpoints: z.array(z.string()) }),
} satisfies Readonly<Record<string, z.ZodType>>;

export type AnswerName = keyof typeof ANSWERS;
