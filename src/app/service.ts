import type { Environment, Foundation } from '../config/index.ts';
import type { ChangeEffect, SettingsEditor } from '../core/stored-settings/index.ts';
import { type DatabaseConnection, openDatabase } from '../database/connect.ts';
import { endsWithin, sleep } from '../lib/clock.ts';
import { describeError } from '../lib/errors/describe-error.ts';
import { UnauthorizedError } from '../telegram/updates/poll-updates.ts';
import { type App, type AppDeps, startApp } from './app.ts';
import { closeDataDirectory } from './open-resources.ts';
import { readSettings, readWithStored, type Settings } from './read-settings.ts';
import { createReload, listNeedsRestart, type Reload } from './reload.ts';
import { createSettingsEditor } from './settings-editor.ts';
import { StoredState } from './stored-state.ts';

export interface ServiceDeps
  extends Pick<AppDeps, 'clock' | 'logger' | 'logContext' | 'exporters' | 'recentLog' | 'movesFiles' | 'onFatal'> {
  readonly readEnvironment: () => Environment;
  /** Called with settings before they take effect, so that their secrets are redacted from the log. */
  readonly onRead: (settings: Settings) => void;
  /** Called after each start of the app. */
  readonly onStarted: (settings: Settings, app: App) => void;
}

export interface ServiceParams {
  readonly environment: Environment;
  readonly foundation: Foundation;
  /** The settings without those that are stored; the error if they are invalid. */
  readonly alone: PromiseSettledResult<Settings>;
}

/** How often a process looks for changes that another one has stored. */
const POLL_MS = 5000;
/** As long as an app may take to stop. */
const STOP_TIMEOUT_MS = 20_000;
/** Time for Telegram to accept the token after a restart. Later failures end the process. */
const TRIAL_MS = 20_000;

const STORED_TOKEN =
  ' An admin has stored it in the console. Set BOT_TOKEN in the environment to a token that works: it takes precedence, and starts the service again.';

/** What a service starts with. */
interface FirstState {
  readonly environment: Environment;
  readonly stored: StoredState;
  readonly settings: Settings;
}

type StartDeps = ServiceDeps & { readonly database: DatabaseConnection; readonly foundation: Foundation };

/** The running service: its database, its settings, and the app that is started with them, again after some changes. */
export class Service {
  readonly #deps: StartDeps;
  readonly #stored: StoredState;
  readonly #editor: SettingsEditor;
  readonly #stopping = new AbortController();
  #environment: Environment;
  /** The settings in force. */
  #settings: Settings;
  #app: App | undefined;
  #reload: Reload | undefined;
  #restarting: Promise<void> = Promise.resolve();
  /** Work on the settings, one after the other. */
  #working: Promise<unknown> = Promise.resolve();

  private constructor(deps: StartDeps, { environment, stored, settings }: FirstState) {
    this.#deps = deps;
    this.#environment = environment;
    this.#stored = stored;
    this.#settings = settings;
    const { clock, logger, onRead } = deps;
    const service = this;
    this.#editor = createSettingsEditor({
      ...{ clock, logger, stored },
      host: {
        get settings() {
          return service.#settings;
        },
        get environment() {
          return service.#environment;
        },
        get catalogue() {
          return service.#running.catalogue;
        },
        isAdmin: (telegramId) => this.#running.isAdmin(telegramId),
        onRead,
        apply: (revert) => this.#apply(revert),
        inTurn: (work) => this.#inTurn(work),
      },
    });
  }

  /** Opens the database, reads what admins have stored in it, and starts the app. @throws what prevents the start */
  static async start(deps: ServiceDeps, { environment, foundation, alone }: ServiceParams): Promise<Service> {
    await closeDataDirectory(foundation.dataDirectory, deps.logger);
    const database = await openDatabase(foundation.database, deps.onFatal).catch((error: unknown) => {
      throw alone.status === 'rejected' ? alone.reason : error;
    });
    try {
      const stored = new StoredState({ db: database.db, clock: deps.clock }, foundation);
      await stored.rewrap();
      await stored.read();
      const settings = await readWithStored(environment, alone, stored.toValues());
      deps.onRead(settings);
      for (const warning of settings.warnings) deps.logger.warn(warning);
      deps.logger.level = settings.config.logLevel;
      const service = new Service({ ...deps, database, foundation }, { environment, stored, settings });
      await service.#startApp(settings, (error) => service.#fail(error));
      void service.#poll();
      deps.onStarted(settings, service.#running);
      return service;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  get #running(): App {
    if (!this.#app) throw new Error('The service is being restarted');
    return this.#app;
  }

  /** Reads the environment, the providers file and what is stored again, and applies what can be applied. */
  reload(): Promise<void> {
    return this.#inTurn(async () => {
      this.#environment = this.#deps.readEnvironment();
      await this.#stored.read();
      await this.#apply();
    }).catch((error: unknown) => {
      this.#deps.logger.error({ err: error }, 'the settings could not be read again; keeping the previous ones');
    });
  }

  /** Stops the app and closes the database. Takes 20 s at most. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the process is ending'));
    await this.#app?.stop();
    await this.#restarting;
    await this.#app?.stop();
    await this.#deps.database.close();
  }

  /**
   * Puts the stored settings in force, if necessary by a restart in the background.
   * @param revert stores the previous values again if the service can't start with the new ones.
   */
  async #apply(revert?: () => Promise<void>): Promise<ChangeEffect['kind']> {
    const reading = readSettings(this.#environment, this.#stored.toValues());
    const next = await reading.catch(() => undefined);
    if (next && this.#isRestartFor(next)) {
      this.#restarting = this.#inTurn(() => this.#restart(next, revert)).catch(this.#deps.onFatal);
      return 'restarting';
    }
    this.#settings = (await this.#reload?.(reading)) ?? this.#settings;
    return 'in-force';
  }

  /** Only stored variables lead to a restart; the environment belongs to the operator, who restarts the process. */
  #isRestartFor(next: Settings): boolean {
    const stored = new Set([...next.storedVariables, ...this.#settings.storedVariables]);
    return listNeedsRestart(this.#settings, next).some((name) => stored.has(name));
  }

  async #restart(next: Settings, revert: (() => Promise<void>) | undefined): Promise<void> {
    const { logger } = this.#deps;
    const previous = this.#settings;
    logger.info('starting again with changed settings');
    const port = Number(new URL(this.#running.url).port);
    await this.#stopApp();
    if (this.#stopping.signal.aborted) return;
    try {
      this.#deps.onRead(next);
      await this.#startOnTrial(withPort(next, port));
      this.#deps.onStarted(next, this.#running);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      const reason = describeError(error);
      logger.error({ reason }, 'the service could not start with the changed settings; the previous ones are back');
      await this.#stopApp();
      await revert?.();
      await this.#startApp(withPort(previous, port), (cause) => this.#fail(cause));
    }
  }

  async #stopApp(): Promise<void> {
    const app = this.#app;
    this.#app = undefined;
    this.#reload = undefined;
    if (app && !(await endsWithin(this.#deps.clock, app.stop(), STOP_TIMEOUT_MS)))
      throw new Error('The service did not stop in time');
  }

  /** Starts the app, and waits until Telegram has accepted the token. @throws what prevents the start */
  async #startOnTrial(settings: Settings): Promise<void> {
    const trial = Promise.withResolvers<never>();
    trial.promise.catch(() => {});
    let isOnTrial = true;
    await this.#startApp(settings, (error) => (isOnTrial ? trial.reject(error) : this.#fail(error)));
    try {
      const accepted = Promise.race([this.#running.whenReady, trial.promise]);
      await endsWithin(this.#deps.clock, accepted, TRIAL_MS, this.#stopping.signal);
      this.#stopping.signal.throwIfAborted();
    } finally {
      isOnTrial = false;
    }
  }

  async #startApp(settings: Settings, onFatal: AppDeps['onFatal']): Promise<void> {
    const { clock, logger, logContext, exporters, recentLog, database, movesFiles, onRead } = this.#deps;
    const app = await startApp(settings.config, settings, {
      ...{ clock, logger, logContext, exporters, database, movesFiles, onFatal },
      ...(recentLog ? { recentLog } : {}),
      settingsEditor: this.#editor,
    });
    this.#app = app;
    this.#settings = settings;
    const { replaceModels, replaceTools, replaceRules } = app;
    this.#reload = createReload({ logger, replaceModels, replaceTools, replaceRules, onRead }, settings);
  }

  /** Ends the process. An operator who has not set the token learns where it comes from. */
  #fail(error: unknown): void {
    const isStored = error instanceof UnauthorizedError && this.#settings.storedVariables.includes('BOT_TOKEN');
    this.#deps.onFatal(isStored ? new UnauthorizedError(STORED_TOKEN) : error);
  }

  async #poll(): Promise<void> {
    const { clock, logger, foundation } = this.#deps;
    // An embedded database has only one process.
    if (foundation.database.kind === 'embedded') return;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await sleep(clock, POLL_MS, signal).catch(() => {});
      if (signal.aborted) return;
      await this.#inTurn(async () => {
        if (!(await this.#stored.isOutdated())) return;
        await this.#stored.read();
        logger.info('another process has changed the settings');
        await this.#apply();
      }).catch((error: unknown) => logger.debug({ err: error }, 'the stored settings could not be read'));
    }
  }

  /** Runs work on the settings after that which runs already. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#working.then(work);
    this.#working = result.catch(() => {});
    return result;
  }
}

/** A port that the system has chosen stays the same. */
function withPort(settings: Settings, port: number): Settings {
  const { config } = settings;
  return config.http.port === 0 ? { ...settings, config: { ...config, http: { ...config.http, port } } } : settings;
}
