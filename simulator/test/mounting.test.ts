import multipart from '@fastify/multipart';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../src/create-simulator.ts';
import { TEST_TOKEN } from './support/simulator.ts';

let app: FastifyInstance;
let simulator: Simulator;
beforeEach(async () => {
  simulator = createSimulator({ bots: [{ token: TEST_TOKEN, username: 'test_bot', firstName: 'Test Bot' }] });
  app = fastify();
  // An app with its own parsers and hooks, none of which may affect the simulator or be affected by it.
  await app.register(multipart, { limits: { fileSize: 10 } });
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, _body, done) =>
    done(null, 'of the app'),
  );
  app.setErrorHandler((_error, _request, reply) => reply.status(418).send('of the app'));
  app.setNotFoundHandler((_request, reply) => reply.status(404).send('of the app'));
  app.post('/own', async (request) => ({ body: request.body }));
  await app.register(simulator.botApi, { prefix: '/simulator' });
  await app.register(simulator.playground, { prefix: '/playground' });
});
afterEach(async () => {
  simulator.close();
  await app.close();
});

const json = { 'content-type': 'application/json', host: 'localhost' };

describe('inside another app', () => {
  it('the Bot API answers below its prefix, including errors', async () => {
    const chat = simulator.control.createChat({ type: 'private' });
    const url = `/simulator/bot${TEST_TOKEN}/sendMessage`;
    const sent = await app.inject({ method: 'POST', url, headers: json, payload: { chat_id: chat.id, text: 'hi' } });
    expect(sent.json()).toMatchObject({ ok: true, result: { text: 'hi' } });
    const refused = await app.inject({ method: 'POST', url, headers: json, payload: '{' });
    expect(refused.json()).toMatchObject({ ok: false, error_code: 400 });
    expect((await app.inject('/simulator/nothing')).json()).toMatchObject({ ok: false, error_code: 404 });
  });

  it('files are accepted, whatever the limits of the app', async () => {
    const chat = simulator.control.createChat({ type: 'private' });
    const form = new FormData();
    form.append('chat_id', String(chat.id));
    form.append('document', new Blob(['more than ten bytes']), 'a.txt');
    const answer = await app.inject({ method: 'POST', url: `/simulator/bot${TEST_TOKEN}/sendDocument`, payload: form });
    expect(answer.json()).toMatchObject({ ok: true, result: { document: { file_size: 19 } } });
  });

  it('the page and its routes answer below their prefix', async () => {
    expect((await app.inject({ url: '/playground', headers: { host: 'localhost' } })).headers.location).toBe(
      '/playground/',
    );
    const url = '/playground/control/people';
    const answer = await app.inject({ method: 'POST', url, headers: json, payload: { firstName: 'Ann' } });
    expect(answer.json()).toMatchObject({ firstName: 'Ann' });
    const missing = await app.inject({ url: '/playground/control/nothing', headers: { host: 'localhost' } });
    expect(missing.json()).toMatchObject({ error: { code: 'page_not_found' } });
  });

  it('the app is unchanged', async () => {
    const answer = await app.inject({ method: 'POST', url: '/own', headers: json, payload: { a: 1 } });
    expect(answer.json()).toEqual({ body: 'of the app' });
    expect((await app.inject('/nothing')).body).toBe('of the app');
  });
});
