import { z } from 'zod';
import { unixSecondsSchema } from '../../fields/field-schemas.ts';

/** The response object, as far as every response has the fields. */
export const responseSchema = z
  .looseObject({
    id: z.string(),
    object: z.literal('response'),
    created_at: unixSecondsSchema,
    status: z.enum(['completed', 'incomplete', 'failed', 'queued', 'in_progress', 'cancelled']),
    model: z.string().describe('The model that answered.'),
    output: z
      .array(z.looseObject({ id: z.string(), type: z.string(), status: z.string() }))
      .describe('Items of type `reasoning`, `message`, `function_call` and `custom_tool_call`.'),
    usage: z
      .looseObject({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() })
      .nullable()
      .describe('Null until the answer is complete.'),
  })
  .meta({ id: 'Response', description: 'An answer, with the settings of its request.' });
