import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type {
  ChangeEffect,
  ChangeParams,
  SettingId,
  SettingsEditor,
  SettingView,
} from '../../core/stored-settings/index.ts';
import { type HttpError, notFound } from '../../protocols/http-error.ts';
import { conflict } from '../resources/conflict.ts';
import { documentRoute } from '../resources/document-route.ts';
import { requireMatch, tagged } from '../resources/entity-tag.ts';
import { emptyQuerySchema, readBody, readId, readQuery } from '../resources/query.ts';
import { createRequestRate } from '../resources/request-rate.ts';
import type { HttpServices } from '../services.ts';
import { getManager } from './authenticate-manager.ts';
import {
  changeSchema,
  effectSchema,
  idSchema,
  listSchema,
  type SettingEffect,
  type SettingsList,
  settingSchema,
  toEffect,
  toGivenValue,
  toSettingAnswer,
  toSettingsList,
} from './settings-fields.ts';

/** Maximum number of tested changes in a minute, of all admins. Each is a request to another service. */
const TESTS_PER_MINUTE = 30;

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
export function addSettings(server: FastifyInstance, { clock, management, settingsEditor }: HttpServices): void {
  if (!settingsEditor) return;
  const editor = settingsEditor;
  const countTest = createRequestRate(clock, TESTS_PER_MINUTE);
  const tested = { onRequest: async () => countTest('all admins') };
  const readChange = async (request: FastifyRequest): Promise<ChangeParams> => {
    const id = readId(idSchema, request);
    const { untested, for_everyone: isForEveryone, ...given } = await readBody(changeSchema, request);
    const values = new Map([[id, toGivenValue(given) ?? {}]]);
    return { ...toParams(request), values, isUntested: untested, isForEveryone };
  };
  const findAdminNames = (settings: readonly SettingView[]) =>
    management.findNames(settings.flatMap(({ change }) => change?.changedBy ?? []));
  server.get('/api/settings', { schema: LIST }, async (request): Promise<SettingsList> => {
    readQuery(emptyQuerySchema, request);
    const settings = editor.list();
    const names = await findAdminNames(settings);
    const answers = settings.map((setting) => toSettingAnswer(setting, names));
    return toSettingsList(editor, answers, await editor.findObstacle());
  });
  server.get('/api/settings/export', { schema: EXPORT }, (request, reply) => {
    readQuery(emptyQuerySchema, request);
    return reply
      .header('content-type', 'application/yaml; charset=utf-8')
      .header('content-disposition', 'attachment; filename="providers.yaml"')
      .send(editor.exportYaml());
  });
  server.get('/api/settings/:id', { schema: ONE }, async (request, reply) => {
    const setting = findKnown(editor, readId(idSchema, request));
    const names = await findAdminNames([setting]);
    const content = toSettingAnswer(setting);
    return tagged(reply, { ...content, changed_by_name: names.get(content.changed_by ?? 0) ?? null }, content);
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
      requireMatch(request, toSettingAnswer(current));
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
  const setting = toSettingAnswer(editor.find(id));
  const { kind, findings } = effect;
  return tagged(reply, { setting, effect: toEffect(kind), findings: [...findings] }, setting);
}
