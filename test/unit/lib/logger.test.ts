import { describe, expect, it } from 'vitest';
import { ChatLostError } from '../../../src/core/inbox/index.ts';
import { createLogger } from '../../../src/lib/log/logger.ts';

function logOf(write: (logger: ReturnType<typeof createLogger>) => void, secrets: string[] = []): string {
  const lines: string[] = [];
  write(createLogger({ secrets: new Set(secrets), destination: { write: (line) => void lines.push(line) } }));
  return lines.join('');
}

describe('logs', () => {
  const token = `123456789:${'Ab_-'.repeat(9)}`;

  it('contain no bot token, even inside the URL inside the cause of an error', () => {
    const cause = new Error(`connect ECONNREFUSED https://api.telegram.org/bot${token}/getMe`);
    const log = logOf((logger) =>
      logger.error({ err: new Error('failed', { cause }), url: `/file/bot${token}/x` }, `with ${token}`),
    );
    expect(log).toContain('ECONNREFUSED');
    expect(log).not.toContain(token);
    expect(log).not.toContain('Ab_-Ab_-');
  });

  it('contain no lines about errors that are no failures', () => {
    const log = logOf((logger) => {
      logger.error({ err: new ChatLostError(1) }, 'a job has failed');
      logger.warn({ err: new Error('a bug') }, 'it continues');
    });
    expect(log).not.toContain('a job has failed');
    expect(log).toContain('it continues');
  });

  it('contain no bearer value and no authorization header', () => {
    const log = logOf((logger) =>
      logger.info({ headers: { authorization: 'owner-key-123' }, text: 'Authorization: Bearer sk-abc.def' }, 'request'),
    );
    expect(log).not.toMatch(/sk-abc|owner-key-123/);
  });

  it.each(['provider-key-1', 'of "many" \\ kinds'])(
    'contain no registered secret, wherever it occurs: %s',
    (secret) => {
      const log = logOf((logger) => logger.warn({ deep: { list: [`a ${secret} b`] } }, secret), [secret]);
      expect(JSON.parse(log)).toMatchObject({ deep: { list: ['a [secret] b'] }, msg: '[secret]' });
    },
  );

  it('contain no texts of users, which errors of the Bot API and the database include', () => {
    const refused = Object.assign(new Error("Call to 'sendMessage' failed!"), {
      method: 'sendMessage',
      payload: { text: 'dear diary' },
    });
    const query = new Error('Failed query: insert into "messages" values ($1)\nparams: 7,dear diary,\nmy second line');
    const log = logOf((logger) => {
      logger.error({ err: refused });
      logger.error({ err: Object.assign(query, { params: [7, 'dear diary'] }) });
      logger.error({ err: new Error('outer', { cause: query }) });
    });
    expect(log).toContain('sendMessage');
    expect(log).toContain('insert into');
    expect(log).toContain('logger.test.ts');
    expect(log).not.toMatch(/dear diary|second line/);
  });

  it('are one JSON object per line, with the time and the level', () => {
    const line = JSON.parse(logOf((logger) => logger.info({ model: 'demo' }, 'hello "Bearer x" there')));
    expect(line).toMatchObject({ level: 30, model: 'demo', time: expect.stringMatching(/^\d{4}-/) });
  });
});
