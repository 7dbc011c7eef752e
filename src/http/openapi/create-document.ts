import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { ANSWERS } from './answers.ts';
import { FILE_OPERATIONS } from './file-operations.ts';
import { GENERATION_OPERATIONS } from './generation-operations.ts';
import type { Answer, Body, Operation, Parameter } from './operation.ts';
import { SERVICE_OPERATIONS } from './service-operations.ts';

/** Every route that clients may use. */
export const OPERATIONS: readonly Operation[] = [...GENERATION_OPERATIONS, ...FILE_OPERATIONS, ...SERVICE_OPERATIONS];

const DESCRIPTION = `Chat, pictures and files over HTTP. OpenAI clients work with the base address \`/ai/openai\`.

Times and limits of a key stand in the headers of its answers. Every answer has an \`x-request-id\`; name it when something went wrong.`;

/** The document that describes the API: OpenAPI 3.1, made of the schemas that check requests. */
export function createOpenApiDocument(): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of OPERATIONS) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: toOperationObject(operation) };
  }
  const schemas = Object.entries(ANSWERS).map(([name, schema]) => [name, toJsonSchema(schema, 'output')]);
  return {
    openapi: '3.1.0',
    info: { title: 'Switchboard', version: '1', description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    tags: [
      { name: 'OpenAI', description: "OpenAI's protocol" },
      { name: 'Native', description: "The service's own interface" },
      { name: 'Files', description: 'Upload, download, delete' },
      { name: 'Service', description: 'About the service itself' },
    ],
    paths,
    components: {
      schemas: Object.fromEntries(schemas),
      securitySchemes: {
        'api-key': { type: 'http', scheme: 'bearer', description: 'An API key.' },
        'owner-key': { type: 'http', scheme: 'bearer', description: 'The owner key of a file.' },
        'metrics-token': { type: 'http', scheme: 'bearer', description: 'The setting METRICS_TOKEN.' },
      },
    },
  };
}

function toOperationObject(operation: Operation): JsonObject {
  const { method, path, tag, summary, description, credential, parameters = [], body, answers } = operation;
  return {
    operationId: `${method}${path.replaceAll(/[^A-Za-z0-9]+(\w?)/g, (_all, letter: string) => letter.toUpperCase())}`,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: toSecurity(credential),
    ...(parameters.length > 0 ? { parameters: parameters.map(toParameterObject) } : {}),
    ...(body ? { requestBody: { required: true, content: toBodyContent(body) } } : {}),
    responses: Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, toResponse(answer)])),
  };
}

function toSecurity(credential: Operation['credential']): readonly JsonObject[] {
  if (credential === 'none') return [];
  return credential === 'maybe' ? [{}, { 'api-key': [] }] : [{ [credential]: [] }];
}

function toParameterObject({ name, in: place, description }: Parameter): JsonObject {
  return { name, in: place, description, required: place === 'path', schema: { type: 'string' } };
}

function toBodyContent(body: Body): JsonObject {
  if ('mediaType' in body) return { [body.mediaType]: { schema: body.schema } };
  const schema = toJsonSchema(body.schema, 'input');
  const properties = Object.entries(schema['properties'] ?? {}).map(([name, property]) => [
    name,
    { ...(isJsonObject(property) ? property : {}), description: body.fields[name] },
  ]);
  return {
    'application/json': { schema: { ...schema, properties: Object.fromEntries(properties) }, example: body.example },
  };
}

function toResponse({ description, schema, other = {} }: Answer): JsonObject {
  const content = Object.fromEntries(
    Object.entries(other).map(([type, words]) => [type, { schema: { type: 'string', description: words } }]),
  );
  const json = schema ? { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } : {};
  return { description, ...(schema || Object.keys(content).length > 0 ? { content: { ...json, ...content } } : {}) };
}

/** Numbers of JavaScript's own range are no limits of ours, and `$schema` is the document's business. */
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return rest;
}
