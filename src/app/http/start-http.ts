import type { AddressInfo } from 'node:net';
import type { Config } from '../../config/index.ts';
import { checkInitData } from '../../core/sessions/index.ts';
import { toOwnUrl } from '../../http/server/connections/addresses.ts';
import { createHttpServer } from '../../http/server.ts';
import type { GivenHttpServices } from '../../http/services.ts';
import { once } from '../../lib/async/once.ts';
import { PLAYGROUND_TELEGRAM } from '../bot/open-telegram.ts';
import type { StartBotDeps } from '../bot/start-bot.ts';
import { createSetupChecks } from './create-setup-checks.ts';

const CLOSE_MS = 12_000;
/** In the playground the bot stops first and needs most of the time. */
const PLAYGROUND_CLOSE_MS = 2000;

interface StartHttpDeps
  extends Omit<StartBotDeps, 'toolbox' | 'onFatal'>,
    Pick<GivenHttpServices, 'findBotUsername' | 'isReady' | 'readState' | 'recentLog'> {}

/**
 * Starts the HTTP server. @returns the service's own URL, and `close`, which accepts no new requests and waits for
 * responses in progress.
 */
export async function startHttp(
  {
    resources,
    services,
    telegram,
    logContext,
    recentLog,
    isReady,
    readState,
    findBotUsername,
    settingsEditor,
  }: StartHttpDeps,
  settings: Config['http'],
) {
  const { clock, logger, observer, heldBytes, telemetry, closers } = resources;
  const { playground, plugins } = telegram;
  const server = createHttpServer({
    ...services,
    ...settings,
    clock,
    logger,
    observer,
    heldBytes,
    logContext,
    recentLog,
    plugins,
    isReady,
    readState,
    findBotUsername,
    settingsEditor,
    checkInitData: (initData) => checkInitData(initData, telegram.token, clock.now()),
    playground: playground && { userId: playground.ownerId, secret: playground.linkSecret },
    setup: playground && createSetupChecks(resources, { ...settings, apiRoot: playground.apiRoot }),
    metrics: telemetry.metrics,
    failures: telemetry.failures,
    telegramUrl: playground && PLAYGROUND_TELEGRAM,
    closeTimeoutMs: playground ? PLAYGROUND_CLOSE_MS : CLOSE_MS,
  });
  const close = once(async () => server.close());
  closers.add(close);
  // Before the server, which open polls and event streams would keep from closing.
  if (playground) closers.add(() => playground.close());
  await server.listen({ host: settings.host, port: settings.port });
  return { url: toOwnUrl(server.server.address() as AddressInfo), close };
}
