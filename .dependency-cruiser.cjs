/**
 * Imports point one way: lib <- database <- core <- telegram <- bot, core <- http, protocols <- http, all <- app <- main.
 * @type {import('dependency-cruiser').IConfiguration}
 */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: '^src/', pathNot: allowed },
});

/** Parts of `src/bot`: each imports those before it. Types may be imported from all. */
const BOT_PARTS = [
  'texts',
  'kit',
  'work',
  'inputs',
  'choices',
  'prompt',
  'reply-stream',
  'answers',
  'questions',
  'middleware',
  'features',
];

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^(src|demo|simulator/src)/', pathNot: '^src/(check-node|switchboard)[.]cjs' },
      to: {},
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    only('lib-knows-nothing', '^src/lib/', '^src/lib/', 'lib could be published: it knows nothing of the product'),
    only('texts-know-nothing', '^src/texts/', '^src/(lib|texts)/', 'what bot and console say alike'),
    only(
      'config-is-values',
      '^src/config/',
      '^src/(lib|config)/',
      'settings become values; who uses them is not their business',
    ),
    only('database-below-core', '^src/database/', '^src/(lib|database)/'),
    only(
      'core-has-no-face',
      '^src/core/(?!models/hosts/)',
      '^src/(lib|database|core)/',
      'core knows neither HTTP nor Telegram',
    ),
    only('hosts-speak-protocols', '^src/core/models/hosts/', '^src/(lib|core|protocols)/'),
    only(
      'protocols-know-the-contract',
      '^src/protocols/',
      '^src/(lib/|protocols/|core/models/contract/)',
      'a protocol is one folder, both directions: between the bytes and the contract of models',
    ),
    {
      name: 'protocols-know-each-other-by-the-contract',
      severity: 'error',
      from: { path: '^src/protocols/((openai|anthropic)-[^/]+)/' },
      to: {
        path: '^src/protocols/(openai|anthropic)-',
        pathNot: [
          '^src/protocols/$1/',
          '^src/protocols/openai-media/images/image-entries',
          '^src/protocols/openai-chat/(read-usage|read-answer|print-answer)',
        ],
      },
    },
    only('telegram-is-an-adapter', '^src/telegram/', '^src/(lib|telegram|core/[^/]+/index\\.ts$)'),
    only(
      'bot-sees-modules-by-their-index',
      '^src/bot/',
      '^src/(lib/|texts/|telegram/|bot/|app/services\\.ts$|core/[^/]+/index\\.ts$)',
      'a face sees core by its index files, never the database, never the other face',
    ),
    ...BOT_PARTS.slice(0, -1).map((part, index) => ({
      name: 'folders-of-the-bot-import-one-way',
      comment: 'questions -> answers -> prompt -> inputs: a part is never needed by one that it needs',
      severity: 'error',
      from: { path: `^src/bot/${part}(/|\\.ts$)` },
      to: {
        path: `^src/bot/(${BOT_PARTS.slice(index + 1).join('|')})(/|\\.ts$)`,
        dependencyTypesNot: ['type-only'],
      },
    })),
    {
      name: 'faces-know-the-type-of-services-only',
      severity: 'error',
      from: { path: '^src/(bot|http)/' },
      to: { path: '^src/app/', dependencyTypesNot: ['type-only'] },
    },
    only(
      'http-sees-modules-by-their-index',
      '^src/http/',
      '^src/(lib/|http/|protocols/|texts/|app/services\\.ts$|core/[^/]+/index\\.ts$)',
    ),
    only(
      'console-is-a-client',
      '^src/console/',
      '^src/(console/|texts/|http/(account|management|setup)/|lib/markdown/|lib/(unquote|json/(json|paths))\\.ts$)',
      'the console runs in a browser; of the service it knows the answers, the texts of dates and numbers, Markdown, JSON and what was pasted',
    ),
    {
      name: 'console-bundles-nothing-of-the-service',
      severity: 'error',
      from: { path: '^src/console/' },
      to: { path: '^src/http/', dependencyTypesNot: ['type-only'] },
    },
    only('telemetry-watches-core', '^src/telemetry/', '^src/(lib/|telemetry/|core/[^/]+/index\\.ts$)'),
    {
      name: 'simulator-is-a-stranger',
      comment: 'the simulator shares no code with the bot that it tests',
      severity: 'error',
      from: { path: '^simulator/' },
      to: { path: '^(src|demo|bench|gallery|clients)/' },
    },
    {
      name: 'modules-of-core-meet-at-their-index',
      severity: 'error',
      from: { path: '^src/core/([^/]+)/' },
      to: { path: '^src/core/[^/]+/', pathNot: ['^src/core/$1/', '^src/core/[^/]+/index\\.ts$'] },
    },
    {
      name: 'only-the-playground-sees-the-simulator',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/app/bot/create-playground\\.ts$' },
      to: { path: '^simulator/' },
    },
    {
      name: 'simulator-is-seen-by-its-index',
      comment: 'its own tests and their support know it from inside; nobody else does',
      severity: 'error',
      from: { path: '^(src|test|bench|gallery|clients)/' },
      to: { path: '^simulator/', pathNot: '^simulator/(src/index\\.ts|test/support/simulator\\.ts)$' },
    },
    {
      name: 'hosts-share-only-what-is-above-them',
      comment: 'a protocol is one folder',
      severity: 'error',
      from: { path: '^src/core/models/hosts/(anthropic|bedrock|openai-compatible|stable-diffusion-webui)/' },
      to: {
        path: '^src/core/models/hosts/(anthropic|bedrock|openai-compatible|stable-diffusion-webui)/',
        pathNot: '^src/core/models/hosts/$1/',
      },
    },
    {
      name: 'only-app-and-command-line-see-the-demonstration',
      comment: 'its models are handed to core as any provider',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(app|cli)/' },
      to: { path: '^demo/' },
    },
    {
      name: 'demonstration-is-a-provider',
      severity: 'error',
      from: { path: '^demo/' },
      to: { path: '^(src|test|bench|gallery|clients)/', pathNot: '^src/(lib/|core/(models|images)/index\\.ts$)' },
    },
    {
      name: 'nobody-imports-main',
      severity: 'error',
      from: { pathNot: '^src/main\\.ts$' },
      to: { path: '^src/(main|command)\\.ts$' },
    },
    {
      name: 'only-main-imports-app',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(command|app/service)\\.ts$' },
      to: { path: '^src/app/app\\.ts$' },
    },
    {
      name: 'grammy-stays-in-telegram-and-bot',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(telegram|bot)/' },
      to: { path: 'node_modules/(grammy|@grammyjs/(?!types))' },
    },
    {
      name: 'src-never-imports-test',
      severity: 'error',
      from: { path: '^((simulator/)?src|demo)/' },
      to: { path: '^((simulator/)?test|bench|gallery|clients)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    // Tells imports of types from others.
    parser: 'swc',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.cjs', '.d.ts'],
    },
  },
};
