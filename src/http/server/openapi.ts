import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

const DESCRIPTION = `Chat, images and files over HTTP. OpenAI clients use the base address \`/ai/openai\`, Anthropic clients \`/ai/anthropic\`.

The headers of an answer contain the rate limits of its key. Every answer has an \`x-request-id\`; quote it in problem reports.

The routes of the console (\`/api/me\` and those below it, sign-in and setup) are not part of this document: they change with the console.`;

const OPTIONS: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: { title: 'Switchboard', version: '1', description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    tags: [
      { name: 'OpenAI', description: "OpenAI's protocol" },
      { name: 'Anthropic', description: "Anthropic's protocol" },
      { name: 'Native', description: "The service's own protocol" },
      { name: 'Files', description: 'Upload, download, delete' },
      {
        name: 'Management',
        description: 'For operators: users, keys, budgets, usage. Needs a key of an admin with the scope `manage`.',
      },
      { name: 'Service', description: 'About the service itself' },
    ],
    components: {
      securitySchemes: {
        'api-key': { type: 'http', scheme: 'bearer', description: 'An API key.' },
        'owner-key': { type: 'http', scheme: 'bearer', description: 'The owner key of a file.' },
        'metrics-token': { type: 'http', scheme: 'bearer', description: 'Value of the setting METRICS_TOKEN.' },
      },
    },
  },
  convertConstToEnum: false,
  transform: ({ schema, url, route: { method }, ...document }) => {
    const { response, ...request } = schema ?? {};
    const components = 'openapiObject' in document ? document.openapiObject.components?.schemas : undefined;
    // OpenAPI has no wildcards, only named parameters.
    const path = url.replace('*', ':id');
    const words = `${method} ${path}`.toLowerCase();
    return {
      url: path,
      schema: {
        operationId: words.replaceAll(/[^a-z0-9]+(\w?)/g, (_all, letter: string) => letter.toUpperCase()),
        security: [],
        ...toJsonSchemas(request, 'input', components ?? {}),
        response: toJsonSchemas(response, 'output', components ?? {}),
      },
    };
  },
};

/**
 * Installs `server.swagger()`, which returns the OpenAPI 3.1 document built from the `schema` of each route registered
 * later. The schemas (zod or JSON Schema) are documentation only: handlers validate requests and serialize responses
 * themselves.
 */
export function installOpenApi(server: FastifyInstance): void {
  server.register(swagger, OPTIONS);
  server.setValidatorCompiler(() => () => true);
  server.setSerializerCompiler(() => JSON.stringify);
}

/** Bodies by media type: a schema, or a description of a text. */
type Content = Readonly<Record<string, z.ZodType | string>>;

/**
 * Describes a response in the `schema` of a route.
 * @param body schema of a JSON body, or bodies by media type. Default: no body.
 */
export function describeResponse(description: string, body?: z.ZodType | Content) {
  if (!body) return { description, type: 'null' };
  const content: Content = body instanceof z.ZodType ? { 'application/json': body } : body;
  const media = Object.entries(content).map(([type, schema]) => {
    return [type, { schema: typeof schema === 'string' ? z.string().describe(schema) : schema }];
  });
  return { description, content: Object.fromEntries(media) };
}

/** Converts zod schemas in `schema` to JSON Schema. Those with an `id` are added to `components`. */
function toJsonSchemas(schema: unknown = {}, io: 'input' | 'output', components: object) {
  const text = JSON.stringify(schema, (_key, value) => {
    if (!(value instanceof z.ZodType)) return value;
    const { id = '' } = z.globalRegistry.get(value) ?? {};
    return id in components ? { $ref: `#/$defs/${id}` } : toJsonSchema(value, io);
  });
  return JSON.parse(text.replaceAll('#/$defs/', '#/components/schemas/'), (key, value) => {
    if (key === '$defs') Object.assign(components, value);
    return key === '$defs' || key === '$schema' ? undefined : value;
  });
}

/**
 * Converts a zod schema. Omits JavaScript's safe integer range as limits, and restores examples, which zod drops for
 * schemas with transforms.
 */
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output') {
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { examples } = z.globalRegistry.get(zodSchema) ?? {};
      if (Array.isArray(examples)) jsonSchema.examples = examples;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
}
