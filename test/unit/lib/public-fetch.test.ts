import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { buildConnector } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import {
  DownloadError,
  ForbiddenAddressError,
  fetchPublic,
  type PublicFetchDeps,
} from '../../../src/lib/http/public-fetch.ts';
import { failureOf } from '../../support/hosts/provider-under-test.ts';
import { createFakeClock } from '../../support/machine/fake-clock.ts';
import { countInputs } from '../../support/vitest/tiers.ts';

const PUBLIC = '93.184.215.14';
const FILE = Buffer.from('the picture');
const options = () => ({ maxBytes: 1000, timeoutMs: 3000, signal: new AbortController().signal });

describe('a download from an untrusted URL', () => {
  let server: Server;
  let port: number;
  /** Paths that were requested from the loopback server. */
  let asked: string[];
  let answer: RequestListener;
  /** Addresses that a connection was opened to. */
  let connected: string[];
  let lookups: string[];

  beforeEach(async () => {
    asked = [];
    connected = [];
    lookups = [];
    answer = (_request, response) => void response.end(FILE);
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterEach(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  /** The loopback server plays every public host: the check is the real one, only connections are redirected. */
  function internet(names: Record<string, readonly string[]> = {}): PublicFetchDeps {
    const connect = buildConnector({ timeout: 1000 });
    return {
      clock: systemClock,
      resolve: async (hostname) => {
        lookups.push(hostname);
        return names[hostname] ?? [PUBLIC];
      },
      connect: (wanted, callback) => {
        connected.push(wanted.hostname);
        connect({ ...wanted, hostname: '127.0.0.1', port: String(port) }, callback);
      },
    };
  }
  const redirectTo = (location: string, status = 302) => {
    answer = (request, response) => {
      if (request.url !== '/picture') return void response.end(FILE);
      response.writeHead(status, { location }).end();
    };
  };

  it('returns the file of a public host', async () => {
    expect(await fetchPublic(internet(), 'http://pictures.test/picture', options())).toEqual(FILE);
    expect(connected).toEqual([PUBLIC]);
  });

  it('returns the file of a public IP address', async () => {
    expect(await fetchPublic(internet(), `http://${PUBLIC}:8443/picture`, options())).toEqual(FILE);
    expect(await fetchPublic(internet(), 'http://[2606:4700::1]/picture', options())).toEqual(FILE);
    expect(connected).toEqual([PUBLIC, '2606:4700::1']);
    expect(lookups).toEqual([]);
  });

  it.each([
    '127.0.0.1',
    '127.8.8.8',
    'localhost',
    '0.0.0.0',
    '0',
    '[::]',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '169.254.169.254',
    '[fe80::1]',
    '[fec0::1]',
    '[fd00::8]',
    '[fd00:ec2::254]',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '017700000001',
    '0177.0.0.1',
    '127.1',
    '１２７.0.0.1',
  ])('never connects to %s', async (host) => {
    // As in production: names of the system, real sockets. The port is allowed, so that only the address can be the reason.
    const url = `http://${host}:${port}/picture`;
    const allowed = { ...options(), trustedOrigin: new URL(url).origin };
    const failure = await failureOf(fetchPublic({ clock: systemClock }, url, allowed));
    expect(failure).toMatchObject({ name: 'ForbiddenAddressError', message: expect.not.stringContaining(host) });
    expect(asked).toEqual([]);
  });

  it.each([
    'file:///etc/passwd',
    'ftp://pictures.test/a',
    'data:image/png;base64,AA',
    'no address',
    '//pictures.test',
    '',
  ])('supports only HTTP: %j is refused', async (url) => {
    expect(await failureOf(fetchPublic(internet(), url, options()))).toBeInstanceOf(ForbiddenAddressError);
  });

  it.each([80, 443, 8080, 8443])('may use port %i', async (allowed) => {
    expect(await fetchPublic(internet(), `http://${PUBLIC}:${allowed}/picture`, options())).toEqual(FILE);
  });

  it('never uses another port, in any spelling of the address', async () => {
    const refusedPort = fc.integer({ min: 0, max: 65_535 }).filter((one) => ![80, 443, 8080, 8443].includes(one));
    const host = fc.constantFrom('pictures.test', PUBLIC, '[2606:4700::1]');
    const written = fc.tuple(
      fc.constantFrom('http', 'https', 'HTTP'),
      host,
      fc.constantFrom('', '0', '000'),
      refusedPort,
    );
    const property = fc.asyncProperty(written, async ([protocol, name, zeros, refused]) => {
      const url = `${protocol}://${name}:${zeros}${refused}/picture`;
      expect(await failureOf(fetchPublic(internet(), url, options()))).toBeInstanceOf(ForbiddenAddressError);
    });
    await fc.assert(property, { seed: 1, numRuns: countInputs(200) });
    expect(connected).toEqual([]);
  });

  it('may use the port of an origin that the operator has configured, and no other', async () => {
    const trusted = { ...options(), trustedOrigin: 'http://models.test:9000' };
    expect(await fetchPublic(internet(), 'http://models.test:9000/picture', trusted)).toEqual(FILE);
    for (const url of ['http://models.test:9001/picture', 'http://other.test:9000/picture'])
      expect(await failureOf(fetchPublic(internet(), url, trusted))).toBeInstanceOf(ForbiddenAddressError);
  });

  it.each(['http://93.184.215.14/', 'http://[2606:4700:0::1]:8080/', 'http://own.test/'])(
    'never connects to an address of this machine: %s',
    async (url) => {
      const listOwnAddresses = () => ['127.0.0.1', PUBLIC, '2606:4700:0:0:0:0:0:1', 'fe80::1%eth0'];
      const deps = { ...internet(), listOwnAddresses };
      expect(await failureOf(fetchPublic(deps, url, options()))).toBeInstanceOf(ForbiddenAddressError);
      redirectTo(url);
      const elsewhere = { ...deps, resolve: async (name: string) => [name === 'own.test' ? PUBLIC : '8.8.4.4'] };
      const redirected = fetchPublic(elsewhere, 'http://pictures.test/picture', options());
      expect(await failureOf(redirected)).toBeInstanceOf(ForbiddenAddressError);
      expect(asked).toEqual(['/picture']);
      const trusted = { ...options(), trustedOrigin: new URL(url).origin };
      expect(await fetchPublic(deps, url, trusted)).toEqual(FILE);
    },
  );

  it('sends no credentials', async () => {
    const failure = await failureOf(fetchPublic(internet(), 'http://user:secret@pictures.test/picture', options()));
    expect(failure).toBeInstanceOf(ForbiddenAddressError);
    expect(connected).toEqual([]);
  });

  it.each([
    ['10.1.2.3'],
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:10.1.2.3'],
    ['fd12::1'],
    ['64:ff9b::a00:1'],
    ['not an address'],
  ])('never connects to a name that resolves to %s', async (address) => {
    const deps = internet({ 'inside.test': [address] });
    const failure = await failureOf(fetchPublic(deps, 'http://inside.test/picture', options()));
    expect(failure).toBeInstanceOf(ForbiddenAddressError);
    expect(connected).toEqual([]);
  });

  it('uses the public ones among the addresses of a name', async () => {
    const deps = internet({ 'both.test': ['10.0.0.1', PUBLIC] });
    await fetchPublic(deps, 'http://both.test/picture', options());
    expect(connected).toEqual([PUBLIC]);
  });

  it('tries the next address if the first is unreachable', async () => {
    const deps = internet({ 'two.test': ['8.8.4.4', PUBLIC] });
    const { connect } = deps;
    const halfDead: PublicFetchDeps = {
      ...deps,
      connect: (wanted, callback) =>
        wanted.hostname === '8.8.4.4' ? callback(new Error('ECONNREFUSED'), null) : connect?.(wanted, callback),
    };
    expect(await fetchPublic(halfDead, 'http://two.test/picture', options())).toEqual(FILE);
  });

  it('connects to the address that was checked, even if the name changes its address', async () => {
    const meanings = [[PUBLIC], ['127.0.0.1'], ['127.0.0.1']];
    const deps = { ...internet(), resolve: async () => meanings.shift() ?? [] };
    await fetchPublic(deps, 'http://rebinding.test/picture', options());
    // There is no second lookup between the check and the connection that could return another address.
    expect(meanings).toHaveLength(2);
    expect(connected).toEqual([PUBLIC]);
    const failure = await failureOf(fetchPublic(deps, 'http://rebinding.test/picture', options()));
    expect(failure).toBeInstanceOf(ForbiddenAddressError);
    expect(connected).toEqual([PUBLIC]);
  });

  it('checks a name again that changes its address between redirects', async () => {
    const meanings = [[PUBLIC], ['169.254.169.254']];
    answer = (_request, response) => void response.writeHead(302, { location: '/next', connection: 'close' }).end();
    const deps = { ...internet(), resolve: async () => meanings.shift() ?? [] };
    const failure = await failureOf(fetchPublic(deps, 'http://rebinding.test/picture', options()));
    expect(failure).toBeInstanceOf(ForbiddenAddressError);
    expect(connected).toEqual([PUBLIC]);
  });

  it.each([301, 302, 303, 307, 308])('follows a redirect with status %i', async (status) => {
    redirectTo('http://other.test/elsewhere', status);
    expect(await fetchPublic(internet(), 'http://pictures.test/picture', options())).toEqual(FILE);
    expect(asked).toEqual(['/picture', '/elsewhere']);
    expect(lookups).toEqual(['pictures.test', 'other.test']);
  });

  it('follows a relative redirect', async () => {
    redirectTo('elsewhere?x=1');
    await fetchPublic(internet(), 'http://pictures.test/picture', options());
    expect(asked).toEqual(['/picture', '/elsewhere?x=1']);
  });

  it.each([
    'http://127.0.0.1/admin',
    'http://[::1]/admin',
    'http://169.254.169.254/latest/meta-data',
    'http://2130706433/',
    'http://inside.test/admin',
    'http://pictures.test:6379/',
    'http://user:secret@pictures.test/',
    'file:///etc/passwd',
  ])('never follows a redirect to %s', async (location) => {
    redirectTo(location);
    const deps = internet({ 'inside.test': ['192.168.0.1'] });
    const failure = await failureOf(fetchPublic(deps, 'http://pictures.test/picture', options()));
    expect(failure).toBeInstanceOf(ForbiddenAddressError);
    expect(asked).toEqual(['/picture']);
  });

  it('gives up after three redirects', async () => {
    answer = (request, response) => void response.writeHead(302, { location: `${request.url}1` }).end();
    const failure = await failureOf(fetchPublic(internet(), 'http://pictures.test/', options()));
    expect(failure).toBeInstanceOf(DownloadError);
    expect(asked).toEqual(['/', '/1', '/11', '/111']);
  });

  it.each([204, 304, 404, 500])('with status %i fails accordingly', async (status) => {
    answer = (_request, response) => void response.writeHead(status).end();
    const result = await fetchPublic(internet(), 'http://pictures.test/picture', options()).catch((error) => error);
    if (status === 204) expect(result).toHaveLength(0);
    else expect(result).toMatchObject({ name: 'DownloadError', message: expect.stringContaining(String(status)) });
  });

  it('fails if the file is larger than allowed', async () => {
    answer = (_request, response) => void response.end(Buffer.alloc(1001));
    const failure = await failureOf(fetchPublic(internet(), 'http://pictures.test/picture', options()));
    expect(failure).toMatchObject({ name: 'HttpSizeError' });
  });

  it('reveals nothing about the network if no connection can be opened', async () => {
    const deps: PublicFetchDeps = {
      ...internet(),
      connect: (_wanted, callback) => callback(new Error('connect ECONNREFUSED 93.184.215.14:80'), null),
    };
    const failure = await failureOf(fetchPublic(deps, 'http://pictures.test/picture', options()));
    expect(failure).toMatchObject({ name: 'DownloadError', message: 'the address could not be reached' });
  });

  it('has one timeout for lookup, redirects and file together', async () => {
    const clock = createFakeClock();
    let hop = 0;
    answer = (_request, response) => {
      hop += 1;
      if (hop === 1) response.writeHead(302, { location: '/slow' }).end();
      else response.writeHead(200).write('half');
    };
    const failure = failureOf(fetchPublic({ ...internet(), clock }, 'http://pictures.test/picture', options()));
    while (hop < 2) await clock.advance(1);
    await clock.advance(3000);
    expect(await failure).toMatchObject({ name: 'HttpTimeoutError' });
    expect(clock.pending).toBe(0);
  });

  it('does not wait for a name server that never answers', async () => {
    const clock = createFakeClock();
    const deps = { ...internet(), clock, resolve: () => new Promise<never>(() => {}) };
    const failure = failureOf(fetchPublic(deps, 'http://pictures.test/picture', options()));
    await clock.advance(3000);
    expect(await failure).toMatchObject({ name: 'HttpTimeoutError' });
  });

  it('is aborted at once by its signal', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const gone = new Promise((resolve) => {
      answer = (request, response) => {
        request.socket.once('close', resolve);
        response.writeHead(200).write('half');
        controller.abort(reason);
      };
    });
    const failure = failureOf(
      fetchPublic(internet(), 'http://pictures.test/picture', { ...options(), signal: controller.signal }),
    );
    await gone;
    expect(await failure).toBe(reason);
  });

  it('opens no connection after an abort during the lookup', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const deps = {
      ...internet(),
      resolve: async () => {
        controller.abort(reason);
        return [PUBLIC];
      },
    };
    const fetched = fetchPublic(deps, 'http://pictures.test/picture', { ...options(), signal: controller.signal });
    expect(await failureOf(fetched)).toBe(reason);
    expect(connected).toEqual([]);
  });
});
