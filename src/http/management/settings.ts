import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PROVIDER_PRESETS, parseYaml, stringifyYaml } from '../../core/models/index.ts';
import {
  type ChangeEffect,
  type ChangeParams,
  SETTING_KINDS,
  type SettingId,
  type SettingsEditor,
  type SettingView,
  toSettingId,
} from '../../core/stored-settings/index.ts';
import { type HttpError, notFound } from '../../protocols/http-error.ts';
import { conflict } from '../resources/conflict.ts';
import { documentRoute } from '../resources/document-route.ts';
import { requireMatch, tagged } from '../resources/entity-tag.ts';
import { timeFieldSchema, toTime } from '../resources/fields.ts';
import { emptyQuerySchema, readBody, readId, readQuery, textSchema } from '../resources/query.ts';
import { createRequestRate } from '../resources/request-rate.ts';
import type { HttpServices } from '../services.ts';
import { getManager } from './authenticate-manager.ts';

/** Maximum length of an entry as YAML, which is parsed on the main thread. */
const MAX_YAML_LENGTH = 16_000;
/** Maximum number of tested changes in a minute, of all admins. Each is a request to another service. */
const TESTS_PER_MINUTE = 30;

const idProblem = `must be one of ${SETTING_KINDS.map((kind) => `'${kind}:<name>'`).join(', ')}`;
const idSchema = z.string(idProblem).transform((text, context): SettingId => {
  const id = toSettingId(text);
  if (id) return id;
  context.addIssue({ code: 'custom', message: idProblem });
  return z.NEVER;
});

const settingSchema = z
  .strictObject({
    id: z.string(),
    kind: z.enum(SETTING_KINDS),
    name: z.string(),
    origin: z
      .enum(['environment', 'file', 'stored', 'removed'])
      .describe(
        '`environment` and `file` (the providers file) take precedence and can’t be changed here. `removed`: it is not set.',
      ),
    value: z
      .unknown()
      .describe('Without secrets, which are "[stored]". null: not set, an entry of the file, or unreadable.'),
    yaml: z.string().nullable().describe('The fields of a stored entry as in the providers file, without secrets.'),
    problem: z.string().nullable().describe('Why a stored setting is not in force.'),
    version: z.int().nullable().describe('Number of changes; null: it was never stored.'),
    changed_by: z.int().nullable().describe('Telegram id of the admin.'),
    changed_at: timeFieldSchema.nullable(),
  })
  .meta({ id: 'StoredSetting' });

/** A setting without secrets. */
export type SettingAnswer = z.infer<typeof settingSchema>;

const listSchema = z.strictObject({
  data: z.array(settingSchema),
  presets: z
    .array(z.strictObject({ name: z.string(), display_name: z.string() }))
    .describe('Providers that need a key and nothing else: `{"preset": "groq", "api_keys": ["…"]}`.'),
  obstacle: z.string().nullable().describe('Why nothing can be stored; null if it can.'),
});

/** All settings of the service. */
export type SettingsList = z.infer<typeof listSchema>;

const effectSchema = z.strictObject({
  setting: settingSchema,
  effect: z
    .enum(['in_force', 'restarting'])
    .describe('`restarting`: the service stops and starts again with the change, which takes up to half a minute.'),
  findings: z.array(z.string()).describe('What the tests have found, such as the number of models.'),
});

/** What a change has done. */
export type SettingEffect = z.infer<typeof effectSchema>;

const changeSchema = z
  .strictObject({
    value: z
      .unknown()
      .optional()
      .describe('Text of a variable, or the fields of an entry. "[stored]" keeps a stored secret.'),
    yaml: textSchema(MAX_YAML_LENGTH)
      .optional()
      .describe('The fields of an entry as in the providers file, instead of `value`.'),
    untested: z.boolean().optional().describe('Stores it even if what it names does not answer. Default false.'),
    for_everyone: z
      .boolean()
      .optional()
      .describe('Accepts that the bot has no admins and is open to everyone. Default false.'),
  })
  .refine(({ value, yaml }) => (value === undefined) !== (yaml === undefined), 'must have one of value and yaml')
  .meta({ examples: [{ value: { preset: 'groq', api_keys: ['gsk_…'] } }] });

const presets = PROVIDER_PRESETS.filter(({ addressVariables }) => !addressVariables).map(({ name, displayName }) => ({
  name,
  display_name: displayName,
}));

const nothingSchema = z.strictObject({}).meta({ examples: [{}] });
const params = z.object({ id: z.string().describe('`variable:BOT_TOKEN`, `provider:groq`, `budget:instance`, …') });
const LIST = documentRoute({
  summary: 'List settings',
  description: 'What admins have stored, and what the environment and the providers file set. No secrets.',
  querystring: emptyQuerySchema,
  answer: ['Settings by kind and name.', listSchema],
  errors: [400],
});
const EXPORT = documentRoute({
  summary: 'Export all settings',
  description:
    'All settings in force as one providers file: what the file has, and what admins have stored. Each secret is a variable that the file names.',
  querystring: emptyQuerySchema,
  answer: ['The file.', { 'application/yaml': 'As `providers.example.yaml`.' }],
  errors: [400],
});
const ONE = documentRoute({
  summary: 'Get a setting',
  params,
  answer: ['The setting.', settingSchema],
  errors: [400, 404],
});
const CHANGED = ['The setting, and what the change has done.', effectSchema] as const;
const SET = documentRoute({
  summary: 'Change a setting',
  description:
    'Checks all settings with the change, tries it (the provider is asked for its models, Telegram about the token), stores it, and puts it in force. If anything fails, nothing changes.',
  params,
  body: changeSchema,
  isConditional: true,
  answer: CHANGED,
  errors: [400, 409, 412, 413, 415],
});
const TEST = documentRoute({
  summary: 'Test a setting',
  description: 'Checks and tries a change without storing it.',
  params,
  body: changeSchema,
  answer: ['What the tests have found.', z.strictObject({ findings: z.array(z.string()) })],
  errors: [400, 409, 413, 415],
});
const UNDO = documentRoute({
  summary: 'Undo the last change of a setting',
  description: 'Restores the value before. A second call undoes the first.',
  params,
  body: nothingSchema,
  isConditional: true,
  answer: CHANGED,
  errors: [400, 404, 409, 412, 413, 415],
});
const REMOVE = documentRoute({
  summary: 'Remove a setting',
  params,
  isConditional: true,
  answer: CHANGED,
  errors: [400, 404, 409, 412],
});

/** Adds the routes of the settings that admins make in the console. */
export function addSettings(server: FastifyInstance, { clock, settingsEditor }: HttpServices): void {
  if (!settingsEditor) return;
  const editor = settingsEditor;
  const countTest = createRequestRate(clock, TESTS_PER_MINUTE);
  const tested = { onRequest: async () => countTest('all admins') };
  const readChange = async (request: FastifyRequest): Promise<ChangeParams> => {
    const id = readId(idSchema, request);
    const { value, yaml, untested, for_everyone: isForEveryone } = await readBody(changeSchema, request);
    const given = yaml === undefined ? value : parseYaml(yaml);
    return { ...toParams(request), values: new Map([[id, given ?? {}]]), isUntested: untested, isForEveryone };
  };
  server.get('/api/settings', { schema: LIST }, async (request): Promise<SettingsList> => {
    readQuery(emptyQuerySchema, request);
    return { data: editor.list().map(toAnswer), presets, obstacle: (await editor.findObstacle()) ?? null };
  });
  server.get('/api/settings/export', { schema: EXPORT }, (request, reply) => {
    readQuery(emptyQuerySchema, request);
    return reply
      .header('content-type', 'application/yaml; charset=utf-8')
      .header('content-disposition', 'attachment; filename="providers.yaml"')
      .send(editor.exportYaml());
  });
  server.get('/api/settings/:id', { schema: ONE }, (request, reply) => {
    return tagged(reply, toAnswer(findKnown(editor, readId(idSchema, request))));
  });
  server.put('/api/settings/:id', { schema: SET, ...tested }, async (request, reply) => {
    const change = await readChange(request);
    return sendEffect(reply, editor, readId(idSchema, request), await editor.change(change));
  });
  server.post('/api/settings/:id/test', { schema: TEST, ...tested }, async (request) => ({
    findings: await editor.test(await readChange(request)),
  }));
  server.post('/api/settings/:id/undo', { schema: UNDO, ...tested }, async (request, reply) => {
    const id = readId(idSchema, request);
    await readBody(nothingSchema, request);
    if (!findKnown(editor, id).change) throw unknownSetting();
    return sendEffect(reply, editor, id, await editor.undo({ ...toParams(request), id }));
  });
  server.delete('/api/settings/:id', { schema: REMOVE }, async (request, reply) => {
    const id = readId(idSchema, request);
    findKnown(editor, id);
    const change = { ...toParams(request), values: new Map([[id, undefined]]) };
    return sendEffect(reply, editor, id, await editor.change(change));
  });
}

function toParams(request: FastifyRequest) {
  return {
    manager: getManager(request),
    check: (current: SettingView) => {
      const isNew = current.origin === 'removed';
      if (request.headers['if-none-match'] === '*' && !isNew) throw alreadyThere(current.id);
      requireMatch(request, toAnswer(current));
    },
  };
}

function findKnown(editor: SettingsEditor, id: SettingId): SettingView {
  const setting = editor.list().find((each) => each.id === id);
  if (!setting) throw unknownSetting();
  return setting;
}

function unknownSetting() {
  return notFound('There is no such setting.');
}

function alreadyThere(id: SettingId): HttpError {
  return conflict(`There is already a setting ${id}.`, undefined, 'already_exists');
}

function sendEffect(reply: FastifyReply, editor: SettingsEditor, id: SettingId, effect: ChangeEffect): SettingEffect {
  const setting = toAnswer(editor.find(id));
  const { kind, findings } = effect;
  return tagged(
    reply,
    { setting, effect: kind === 'in-force' ? 'in_force' : 'restarting', findings: [...findings] },
    setting,
  );
}

function toAnswer({ id, kind, name, origin, value, problem, change }: SettingView): SettingAnswer {
  return {
    ...{ id, kind, name, origin },
    value: value ?? null,
    yaml: kind === 'variable' || value === undefined ? null : stringifyYaml(value),
    problem: problem ?? null,
    version: change?.version ?? null,
    changed_by: change?.changedBy ?? null,
    changed_at: change ? toTime(change.changedAt) : null,
  };
}
