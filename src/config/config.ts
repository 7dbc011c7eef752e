/** Validated configuration of the process. Invalid combinations can't be expressed. */
export interface Config {
  readonly telegram: TelegramConfig;
  /** Absolute path of the directory for all local data. It may not exist yet. */
  readonly dataDirectory: string;
  readonly database:
    | { readonly kind: 'postgres'; readonly url: string }
    | { readonly kind: 'embedded'; readonly directory: string };
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly publicUrl: string | undefined;
    /** Base URL of download links; undefined for `http://host:port`. */
    readonly cloudUrl: string | undefined;
    readonly hasBareFileNames: boolean;
    /** Origins whose pages may call the API, `https://chat.example.com`; `*` allows all. Empty: none. */
    readonly corsOrigins: readonly string[];
    /** Addresses and networks of proxies whose forwarded client address is trusted, `10.0.0.0/8`. Empty: none. */
    readonly trustedProxies: readonly string[];
  };
  readonly operations: OperationsSettings;
  readonly storage: StorageSettings;
  readonly models: ModelSettings;
  /** Web search services, in the order of preference. */
  readonly webSearch: readonly WebSearchSettings[];
  /** Unset: a random key is created at the first start. `off`: there is no universal key. */
  readonly universalApiKey: string | undefined;
  /** File of the random key. */
  readonly universalKeyPath: string;
  /** Concurrent image requests of one user. */
  readonly imagesAtOnce: number;
  readonly adminIds: readonly number[];
  /** Telegram ids of users admitted besides the admins. Empty: everyone is admitted. */
  readonly allowedIds: readonly number[];
  /** Whether names and usernames of users are stored as Telegram shows them. */
  readonly storesNames: boolean;
  /** Uploads over HTTP that are allowed. If not everyone is admitted, `anyone` means the same as `key`. */
  readonly uploads: 'anyone' | 'key' | 'off';
  /** Days after which messages are deleted. Undefined: never. */
  readonly retentionDays: number | undefined;
  /** True if models generate titles of conversations. */
  readonly asksForTitles: boolean;
  readonly logLevel: string;
}

export interface OperationsSettings {
  /** Bearer token required for `/metrics`. Undefined: metrics are disabled. */
  readonly metricsToken: string | undefined;
  /** Undefined: traces are not exported. */
  readonly traces: CollectorSettings | undefined;
  /** Undefined: metrics are not exported, and only read by `/metrics`. */
  readonly metrics: (CollectorSettings & { readonly intervalMs: number }) | undefined;
  /** Undefined: the log is only written to standard output. */
  readonly logs: CollectorSettings | undefined;
}

/** Collector of one signal, by OTLP over HTTP. */
export interface CollectorSettings {
  /** Address of the signal: `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  /** Sent with every batch, for authentication. */
  readonly headers: Readonly<Record<string, string>>;
}

export type TelegramConfig =
  /** Without a token the bot runs against the built-in simulator and its playground page. */
  | {
      readonly mode: 'playground';
      /** Directory of the simulated chats. */
      readonly directory: string;
      /** True if the service listens on other addresses than loopback, so that its page needs the link's secret. */
      readonly isExposed: boolean;
      /** Bot API server that the start page of the console asks about tokens. */
      readonly apiRoot: string | undefined;
    }
  | {
      readonly mode: 'bot';
      readonly token: string;
      readonly apiRoot: string | undefined;
      /** URL and secret of the webhook. Undefined: updates are polled. */
      readonly webhook: { readonly url: string; readonly secret: string } | undefined;
    };

export interface StorageSettings {
  /** Where new files go. */
  readonly location: StorageLocation;
  /** Other places that are set up: their files can be read, deleted and moved. */
  readonly formerLocations: readonly StorageLocation[];
  readonly encryptionKey:
    | { readonly kind: 'given'; readonly key: Buffer }
    /** Created at the first start. */
    | { readonly kind: 'file'; readonly path: string };
  readonly formerEncryptionKeys: readonly Buffer[];
  readonly maxFileBytes: number;
  /** Bytes that one user, and one address, may upload within 24 hours. Undefined: unlimited. */
  readonly maxBytesPerDay: number | undefined;
}

export type StorageLocation =
  | { readonly kind: 'disk'; readonly directory: string }
  | {
      readonly kind: 'telegram';
      /** At least one. */
      readonly botTokens: readonly string[];
      /** At least one. */
      readonly chatIds: readonly number[];
      readonly apiRoot: string | undefined;
      /** Size of a part: bytes of a file in one message. */
      readonly partBytes: number;
    }
  | {
      readonly kind: 's3';
      /** URL of the bucket without a trailing slash. */
      readonly url: string;
      readonly region: string | undefined;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
    };

/** @property variable name of the setting. */
export type WebSearchSettings = { readonly variable: string } & (
  | { readonly kind: 'brave' | 'tavily'; readonly apiKey: string }
  | { readonly kind: 'searxng'; readonly baseUrl: string }
);

export interface ModelSettings {
  /** API keys by the name of the environment variable. */
  readonly presetKeys: Readonly<Record<string, readonly string[]>>;
  /** Addresses of hosts without a common one, or parts of them, by the name of the environment variable. */
  readonly presetAddresses: Readonly<Record<string, string | undefined>>;
  readonly openAi:
    | {
        readonly baseUrl: string | undefined;
        readonly apiKeys: readonly string[];
        readonly models: readonly string[];
        readonly transcriptionModel: string | undefined;
        /** Undefined fields default to the host's preset. */
        readonly speech: {
          readonly model: string | undefined;
          readonly voice: string | undefined;
          readonly format: 'opus' | 'mp3' | undefined;
        };
      }
    | undefined;
  /** Amazon Bedrock; undefined without a region or without access. */
  readonly bedrock:
    | {
        readonly region: string;
        readonly apiKeys: readonly string[];
        readonly credentials:
          | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string }
          | undefined;
      }
    | undefined;
  readonly ollamaHost: string | undefined;
  readonly sdWebUiUrl: string | undefined;
  readonly defaultModel: string | undefined;
  readonly defaultImageModel: string | undefined;
}
