import { describe, expect, it } from 'vitest';
import { createToolbox, DEFAULT_TOOLS_CONFIG, ToolError } from '../../../../src/core/tools/index.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { DownloadError, ForbiddenAddressError } from '../../../../src/lib/http/public-fetch.ts';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import { createLogger } from '../../../../src/lib/log/logger.ts';
import { createFakeClock } from '../../../support/machine/fake-clock.ts';
import { WIDE_TABLES } from '../../../support/samples/documents.ts';

const logger = createLogger({ level: 'silent' });
const { signal } = new AbortController();

type Download = NonNullable<Parameters<typeof createToolbox>[0]['download']>;

function ask(name: string, parameters: JsonObject, deps: { download?: Download; clock?: typeof systemClock } = {}) {
  const toolbox = createToolbox({ clock: systemClock, logger, ...deps }, DEFAULT_TOOLS_CONFIG);
  const tool = toolbox.list().find((one) => one.name === name);
  if (!tool) throw new Error(`there is no ${name}`);
  return tool.run(parameters, {
    userId: 1,
    hasForeignText: false,
    recordForeignText: () => {},
    addSource: () => {},
    signal,
  });
}

describe('the calculator', () => {
  const calculate = async (expression: string) => (await ask('calculator', { expression })).split(' = ').at(-1);

  it.each([
    ['12*34', '408'],
    ['0.1 + 0.2', '0.3'],
    ['2^10', '1024'],
    ['2^3^2', '512'],
    ['-2^2', '-4'],
    ['(-2)^2', '4'],
    ['2*-3^2', '-18'],
    ['2^-2', '0.25'],
    ['sqrt(2)^10', '32'],
    ['sin(pi/6)', '0.5'],
    ['(1/3)*3', '1'],
    ['6 × 7 ÷ 2 − 1', '20'],
    ['10 % 3', '1'],
    ['round(2.345, 2)', '2.35'],
    ['max(1, 2.5, -3)', '2.5'],
    ['factorial(25)', '15511210043330985984000000'],
    ['12345678901234567890 * 98765432109876543210', '1219326311370217952237463801111263526900'],
    ['log10(1000) + log2(8) + ln(e)', '7'],
    ['2 < 3', '1'],
  ])('calculates %s', async (expression, result) => {
    expect(await calculate(expression)).toBe(result);
  });

  it.each([
    ['process.exit()', /no function/],
    ['constructor', /unknown/],
    ['__proto__', /unknown/],
    ['toString()', /no function 'toString'/],
    ['a.b', /may only hold/],
    ['[1, 2]', /may only hold/],
    ['1; 2', /may only hold/],
    ['"x" * 2', /may only hold/],
    ['1 +', /can't be read/],
    ['1 / 0', /not finite/],
    ['ln(-1)', /not a real number/],
    ['9^9^9^9', /not finite/],
    ['factorial(1e9)', /factorial takes/],
    ['sin(1e30)', /angle/],
    ['sqrt()', /wrong number/],
    ['('.repeat(999), /can't be read/],
    ['1'.repeat(1001), /longer than/],
    ['', /missing/],
    ['1e1001', /not finite/],
    ['exp(1e999)', /not finite/],
    ['1e-1001', /smaller than/],
    ['1e-600 * 1e-600', /smaller than/],
    ['factorial(451)', /factorial takes/],
  ])('refuses %s', async (expression, reason) => {
    const failure = await calculate(expression).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ToolError);
    expect(String(failure)).toMatch(reason);
  });
});

describe('the clock', () => {
  const clock = { ...createFakeClock(), now: () => Date.UTC(2026, 10, 21, 22, 30) };

  it('tells the time in any time zone', async () => {
    expect(await ask('current_time', { time_zone: 'Asia/Tokyo' }, { clock })).toBe(
      'Sunday, 22 November 2026 at 07:30:00 GMT+9 (Asia/Tokyo); 2026-11-21T22:30:00.000Z',
    );
    expect(await ask('current_time', {}, { clock })).toMatch(/^Saturday, 21 November 2026 at 22:30:00 UTC/);
  });

  it('refuses unknown places', async () => {
    await expect(ask('current_time', { time_zone: 'Moon/Tycho' }, { clock })).rejects.toThrow('no such time zone');
  });
});

describe('the web page tool', () => {
  /** Ten times the usual time of a page, for a busy machine. */
  const patient = {
    ...systemClock,
    setTimer: (ms: number, callback: () => void) => systemClock.setTimer(10 * ms, callback),
  };
  const read = (page: string | Buffer | Error, url = 'https://example.org/a') =>
    ask(
      'read_web_page',
      { url },
      {
        clock: patient,
        download: async () => (page instanceof Error ? Promise.reject(page) : Buffer.from(page)),
      },
    );

  it('returns the text in order, without parts that only a browser needs', async () => {
    const page = `<!doctype html><html><head><title>Foxes &amp; snow</title><style>p{}</style></head><body>
      <nav><a href="/">Home</a></nav><script>alert(1)</script>
      <main><h1>The fox</h1><p>It is <b>red</b> and <a href="/x">small</a>.</p><ul><li>one</li><li>two</li></ul>
      <table><tr><th>Name</th><th>Age</th></tr><tr><td>Ann</td><td>3</td></tr></table></main>
      <footer>Imprint</footer></body></html>`;
    const text = await read(page);
    expect(text).toMatch(/^Foxes & snow\n\nThe fox\n\nIt is red and small\.\n\n \* one\n \* two\n\nName\tAge\nAnn\t3$/);
  });

  it('bounds the number of waiting pages, because each takes memory', async () => {
    const toolbox = createToolbox(
      { clock: systemClock, logger, download: async () => Buffer.from('<p>words') },
      DEFAULT_TOOLS_CONFIG,
    );
    const tool = toolbox.list().find((one) => one.name === 'read_web_page');
    const leaving = new AbortController();
    const reasons: unknown[] = [];
    const start = (userId: number) => {
      const reading = tool?.run(
        { url: 'https://example.org/' },
        { userId, hasForeignText: false, recordForeignText: () => {}, addSource: () => {}, signal: leaving.signal },
      );
      reading?.catch((error: unknown) => reasons.push(error));
      return reading;
    };
    // One is read and seven wait. Of other users two are read at once and twenty wait.
    const many = Array.from({ length: 10 }, () => start(1));
    await expect.poll(() => reasons).toHaveLength(2);
    many.push(...Array.from({ length: 20 }, (_, at) => start(at + 2)));
    await expect.poll(() => reasons).toHaveLength(8);
    expect(reasons[0]).toEqual(new ToolError('too many pages are being read right now'));
    leaving.abort(new Error('gone'));
    await Promise.allSettled(many);
  });

  it('returns plain text and JSON unchanged', async () => {
    expect(await read('{"temperature": 3}')).toBe('{"temperature": 3}');
    expect(await read('just < words > here\n')).toBe('just < words > here');
  });

  it('decodes other alphabets', async () => {
    const page = Buffer.from([...Buffer.from('<html><meta charset="windows-1251"><body><p>'), 0xcb, 0xe8, 0xf1, 0xe0]);
    expect(await read(page)).toBe('Лиса');
  });

  it('handles hostile pages', async () => {
    expect(await read(WIDE_TABLES[0].bytes)).toBe('a');
    expect((await read(`<html><body>${'<p>word</p>'.repeat(250_000)}`)).length).toBeLessThan(1_500_000);
    await expect(read(`<html><body>${'<title'.repeat(100_000)}`)).rejects.toThrow('no text');
    await expect(read(Buffer.from([0, 1, 2, 0]))).rejects.toThrow('not a page of text');
  });

  it('abandons a page that takes too long, and does not block the service meanwhile', async () => {
    let longestMs = 0;
    // Processor time of this thread alone: the duration of a tick depends on the machine.
    let before = process.threadCpuUsage();
    const heart = setInterval(() => {
      const { user, system } = process.threadCpuUsage(before);
      longestMs = Math.max(longestMs, (user + system) / 1000);
      before = process.threadCpuUsage();
    }, 20);
    const fast = {
      ...systemClock,
      setTimer: (_ms: number, callback: () => void) => systemClock.setTimer(700, callback),
    };
    const page = `<html><body>${'<div>'.repeat(250_000)}`;
    const deps = { clock: fast, download: async () => Buffer.from(page) };
    await expect(ask('read_web_page', { url: 'https://example.org' }, deps)).rejects.toThrow('too complex');
    clearInterval(heart);
    expect(longestMs).toBeLessThan(600);
  });

  it.each([
    [new ForbiddenAddressError(), 'not on the public web'],
    [new DownloadError('the download was answered with status 404'), 'status 404'],
    [new Error('inner secret'), 'could not be read'],
  ])('explains why it fails: %s', async (error, words) => {
    const failure = await read(error).catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(ToolError);
    expect(String(failure)).toContain(words);
  });

  it('never connects to the internal network', async () => {
    for (const url of ['http://127.0.0.1:8080/', 'http://localhost/', 'http://169.254.169.254/', 'file:///etc/passwd'])
      await expect(ask('read_web_page', { url })).rejects.toThrow('not on the public web');
  });
});
