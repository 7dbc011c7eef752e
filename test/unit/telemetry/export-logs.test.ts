import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/lib/log/logger.ts';
import { createLogExport, type LogExport } from '../../../src/telemetry/export-logs.ts';
import { describeProcess, type Turn } from '../../../src/telemetry/otlp.ts';
import { eventually } from '../../support/harness/process.ts';
import { type Collector, startCollector } from '../../support/hosts/collector.ts';

const SPAN = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 };

describe('export of the log', () => {
  let collector: Collector;
  let logs: LogExport;
  let turns: Turn[];
  let span: typeof SPAN | undefined;
  beforeEach(async () => {
    collector = await startCollector();
    turns = [];
    span = undefined;
    logs = createLogExport({
      collector: { url: `${collector.url}/v1/logs`, headers: {} },
      resource: describeProcess('1.2.3'),
      onTurn: (turn) => turns.push(turn),
      readSpan: () => span,
    });
  });
  afterEach(async () => {
    await logs.close();
    await collector.close();
  });
  const createTestLogger = (secrets: readonly string[] = []) =>
    createLogger({ level: 'trace', exporter: logs, secrets: new Set(secrets), destination: { write: () => {} } });

  it('sends levels, messages, fields, errors and spans, and no secret', async () => {
    const logger = createTestLogger(['hunter-2-hunter']);
    logger.trace('a');
    span = SPAN;
    logger.child({ requestId: 'req_1' }).warn({ url: 'https://x/?key=hunter-2-hunter', nested: { list: [1] } }, 'b');
    span = undefined;
    logger.error({ err: Object.assign(new TypeError('no hunter-2-hunter'), { code: 'E_NO' }) }, 'c');
    logger.fatal('d');
    await logs.close();
    expect(collector.lines).toMatchObject([
      { severityText: 'trace', severityNumber: 1, body: 'a', attributes: {} },
      {
        severityText: 'warn',
        severityNumber: 13,
        body: 'b',
        attributes: { requestId: 'req_1', url: 'https://x/?key=[secret]', nested: { list: [1] } },
        traceId: SPAN.traceId,
        spanId: SPAN.spanId,
      },
      {
        severityText: 'error',
        severityNumber: 17,
        body: 'c',
        attributes: {
          'exception.type': 'TypeError',
          'exception.message': 'no [secret]',
          'exception.stacktrace': expect.stringContaining('export-logs.test'),
          err: { code: 'E_NO' },
        },
      },
      { severityText: 'fatal', severityNumber: 21, body: 'd' },
    ]);
    expect(collector.lines[0]).not.toHaveProperty('traceId');
    expect(collector.received()).not.toContain('hunter');
    expect(logs.countDropped()).toBe(0);
  });

  it('sends lines by themselves, in order and whole, however many there are', async () => {
    const logger = createTestLogger();
    for (let number = 0; number < 3000; number++) logger.info({ number }, 'line');
    const count = await eventually(() => (collector.lines.length >= 3000 ? collector.lines.length : undefined));
    expect(count).toBe(3000);
    expect(collector.lines.map(({ attributes }) => attributes['number'])).toEqual(
      Array.from({ length: 3000 }, (_, at) => at),
    );
  });

  it('continues after lines that were written during an export', async () => {
    const logger = createTestLogger();
    const gate = Promise.withResolvers<void>();
    collector.answerAfter(gate.promise);
    const arrives = (text: string) => eventually(() => collector.lines.find(({ body }) => body === text));
    logger.info('first');
    await arrives('first');
    logger.info('during the export of the first');
    gate.resolve();
    await arrives('during the export of the first');
    // The timer that the second line has started finds nothing to send.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    logger.info('later');
    await arrives('later');
  });

  it.each([
    ['lines', 9000, ''],
    ['characters', 200, 'x'.repeat(100_000)],
  ])('drops and counts %s beyond its bound', async (_, count, text) => {
    const logger = createTestLogger();
    for (let number = 0; number < count; number++) logger.info(text);
    const dropped = logs.countDropped();
    expect(dropped).toBeGreaterThan(0);
    await logs.close();
    expect(collector.lines.length + dropped).toBe(count);
  });

  it('drops what a collector refuses, reports each outage once, and continues', async () => {
    const logger = createTestLogger();
    collector.answerWith(400);
    for (const expected of [1, 2]) {
      logger.info('lost');
      await eventually(() => (logs.countDropped() === expected ? true : undefined));
    }
    expect(turns).toEqual([{ signal: 'logs', reason: expect.stringMatching(/\S/) }]);
    collector.answerWith(200);
    logger.info('found');
    // The response arrives later than the line.
    await eventually(() => turns[1]);
    expect(collector.lines.map(({ body }) => body)).toEqual(['found']);
    expect(turns[1]).toEqual({ signal: 'logs', reason: undefined });
    expect(turns).toHaveLength(2);
  });
});
