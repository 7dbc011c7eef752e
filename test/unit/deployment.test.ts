import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { settingNames } from '../../src/config/index.ts';

const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');

describe('the Docker image', () => {
  it('runs Node itself as an unprivileged user, and has a health check', async () => {
    const stages = (await read('Dockerfile')).split(/^FROM /m).slice(1);
    const last = stages.at(-1) ?? '';
    expect(last).toMatch(/^USER node$/m);
    const { scripts } = JSON.parse(await read('package.json'));
    const command = scripts.start
      .split(' ')
      .map((word: string) => JSON.stringify(word.replace('src/', '').replace('main.ts', 'main.js')));
    expect(last).toContain(`\nCMD [${command.join(', ')}]\n`);
    expect(last).toMatch(/^HEALTHCHECK [\s\S]*\/healthz/m);
    expect(last).not.toMatch(/npm (?:ci|install)|apt-get/);
    expect(stages[0]).toContain('npm ci --omit=dev');
    expect(stages[0]).toMatch(/^\$\{NODE_IMAGE\}/);
  });

  it('contains the files that the process reads', async () => {
    const dockerfile = await read('Dockerfile');
    expect(dockerfile).toMatch(/^RUN node scripts\/build\.ts \/layout --with-packages /m);
    expect(dockerfile).toMatch(/^COPY --from=build \/layout\/switchboard \.\/$/m);
    const ignored = (await read('.dockerignore')).split('\n');
    for (const secret of ['.env*', 'providers*.yaml', 'data', '.git']) expect(ignored).toContain(secret);
  });
});

describe('compose.yaml', () => {
  const schema = z.object({
    services: z.object({
      app: z.object({
        read_only: z.literal(true),
        cap_drop: z.tuple([z.literal('ALL')]),
        security_opt: z.array(z.string()),
        ports: z.array(z.string().regex(/^\$\{BIND_ADDRESS:-127\.0\.0\.1\}:/)),
        environment: z.record(z.string(), z.string()),
        volumes: z.array(z.string()),
        stop_grace_period: z.literal('25s'),
      }),
      database: z.object({ image: z.string(), ports: z.undefined().optional(), healthcheck: z.object({}) }),
      'bot-api': z.object({ image: z.string() }),
    }),
  });

  it('names the image by the minor version of the package', async () => {
    const { services } = parse(await read('compose.yaml'));
    const { version } = JSON.parse(await read('package.json'));
    expect(services.app.image).toBe(`\${SWITCHBOARD_IMAGE:-switchboard:${version.split('.', 2).join('.')}}`);
  });

  it('isolates the app, and hides the database', async () => {
    const { services } = schema.parse(parse(await read('compose.yaml')));
    expect(services.app.security_opt).toContain('no-new-privileges:true');
    for (const name of Object.keys(services.app.environment)) expect(settingNames).toContain(name);
  });

  it('keeps data in the volume whatever .env contains, and pins the versions of its images', async () => {
    const { services } = schema.parse(parse(await read('compose.yaml')));
    expect(services.app.environment).toMatchObject({ DATA_DIR: '/data' });
    expect(services.app.volumes).toContain('data:/data');
    for (const { image } of [services.database, services['bot-api']]) expect(image).toMatch(/^[\w./-]+:\d+[\w.-]*$/);
  });
});

describe('a release', () => {
  it('ends before it publishes anything if its tag is not the version of the package', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/release-notes.ts', 'v0.0.1'], {
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/package\.json has the version \S+, the tag is v0\.0\.1/);
  });

  it('is checked by what decides about changes, and by the start of its package', async () => {
    const jobs = z.object({ jobs: z.record(z.string(), z.looseObject({ needs: z.unknown().optional() })) });
    const { check, image, packages } = jobs.parse(parse(await read('.github/workflows/release.yml'))).jobs;
    expect(check).toMatchObject({ needs: 'notes', uses: './.github/workflows/ci.yml' });
    expect([image?.needs, packages?.needs]).toEqual(['check', 'check']);
    const ci = await read('.github/workflows/ci.yml');
    for (const command of ['.ci/run', 'npm run test:package']) expect(ci).toContain(command);
  });
});

describe('the documents of operators', () => {
  const pages = ['deployment', 'backup', 'monitoring', 'reliability', 'replicas'];
  const readPages = async () => (await Promise.all(pages.map((page) => read(`docs/${page}.md`)))).join('\n');

  it('name only existing settings', async () => {
    const text = await readPages();
    const variables = [...text.matchAll(/`([A-Z][A-Z_]+_[A-Z_]+)(?:=[^`]*)?`/g)].map(([, name]) => name);
    expect(variables.length).toBeGreaterThan(5);
    const known = [
      ...settingNames,
      'TELEGRAM_API_ID',
      'TELEGRAM_API_HASH',
      'BIND_ADDRESS',
      'NODE_IMAGE',
      'SWITCHBOARD_IMAGE',
    ];
    expect(variables.filter((name) => !known.includes(name ?? ''))).toEqual([]);
  });

  it('name metrics that the dashboard has', async () => {
    const dashboard = await read('docs/grafana/switchboard.json');
    const text = await readPages();
    for (const [name] of text.matchAll(/switchboard_\w+/g)) expect(dashboard).toContain(name);
  });
});
