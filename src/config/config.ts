/** Everything the process was told, checked. Wrong combinations can't be expressed. */
export interface Config {
  readonly telegram: TelegramConfig;
  /** The folder of everything that this process keeps on the disk, absolute. It may not exist yet. */
  readonly dataDirectory: string;
  readonly database:
    | { readonly kind: 'postgres'; readonly url: string }
    | { readonly kind: 'embedded'; readonly directory: string };
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly publicUrl: string | undefined;
    /** What download links begin with; undefined: `http://host:port`. */
    readonly cloudUrl: string | undefined;
    readonly hasBareFileNames: boolean;
    /** Origins whose pages may call the API, `https://chat.example.com`; `*` are all. Empty: none. */
    readonly corsOrigins: readonly string[];
    /** Addresses and networks of proxies that may say where a request comes from, `10.0.0.0/8`. Empty: nobody may. */
    readonly trustedProxies: readonly string[];
  };
  readonly operations: OperationsSettings;
  readonly storage: StorageSettings;
  readonly models: ModelSettings;
  /** Unset: a random one is made at the first start. `off`: there is none. */
  readonly universalApiKey: string | undefined;
  /** The file of a random one. */
  readonly universalKeyPath: string;
  /** Orders for pictures of one person at work at the same time. */
  readonly imagesAtOnce: number;
  readonly adminIds: readonly number[];
  /** Telegram ids of those who may use the service beside the admins. Empty: everybody may. */
  readonly allowedIds: readonly number[];
  /** Days after which messages of conversations are removed. Undefined: never. */
  readonly retentionDays: number | undefined;
  /** Whether models are asked for titles of conversations. */
  readonly asksForTitles: boolean;
  readonly logLevel: string;
}

export interface OperationsSettings {
  /** What Prometheus shows to read `/metrics`. Undefined: there are no metrics to be read. */
  readonly metricsToken: string | undefined;
  /** Where traces are sent, by OTLP over HTTP. Undefined: there are none. */
  readonly traces: { readonly endpoint: string; readonly headers: Readonly<Record<string, string>> } | undefined;
}

export type TelegramConfig =
  /** No token: the bot talks to the built-in simulator, people to its page. */
  | { readonly mode: 'playground' /** Holds the simulated chats. */; readonly directory: string }
  | {
      readonly mode: 'bot';
      readonly token: string;
      readonly apiRoot: string | undefined;
      /** Where Telegram brings updates, and the secret that it shows there. Undefined: the bot fetches them. */
      readonly webhook: { readonly url: string; readonly secret: string } | undefined;
    };

export interface StorageSettings {
  readonly place: StoragePlace;
  readonly encryptionKey:
    | { readonly kind: 'given'; readonly key: Buffer }
    /** Made at the first start. */
    | { readonly kind: 'file'; readonly path: string };
  readonly maxFileBytes: number;
  /** What one person, and one address, may send within 24 hours. Undefined: any amount. */
  readonly maxBytesPerDay: number | undefined;
}

export type StoragePlace =
  | { readonly kind: 'disk'; readonly directory: string }
  | {
      readonly kind: 'telegram';
      /** At least one. */
      readonly botTokens: readonly string[];
      /** At least one. */
      readonly chatIds: readonly number[];
      readonly apiRoot: string | undefined;
      /** Bytes of a file in one message. */
      readonly partBytes: number;
    };

export interface ModelSettings {
  /** By the name of the variable, with the keys in it. */
  readonly presetKeys: Readonly<Record<string, readonly string[]>>;
  readonly openAi:
    | {
        readonly baseUrl: string | undefined;
        readonly apiKeys: readonly string[];
        readonly models: readonly string[];
        readonly transcriptionModel: string | undefined;
        /** What is undefined is as the preset of the host has it. */
        readonly speech: {
          readonly model: string | undefined;
          readonly voice: string | undefined;
          readonly format: 'opus' | 'mp3' | undefined;
        };
      }
    | undefined;
  readonly ollamaHost: string | undefined;
  readonly sdWebUiUrl: string | undefined;
  readonly defaultModel: string | undefined;
  readonly defaultImageModel: string | undefined;
}
