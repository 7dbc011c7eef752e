import type { ProviderModel } from '../../contract/provider.ts';
import type { ProviderTimeouts } from '../endpoint/endpoint.ts';

/** Amazon Bedrock in one region, through its Converse API. */
export interface BedrockConfig {
  readonly kind: 'bedrock';
  /** Unique, lowercase; prefix of qualified model names. */
  readonly name: string;
  /** `us-east-1` */
  readonly region: string;
  /** Address of the runtime, if not AWS's own one of the region. */
  readonly baseUrl?: string | undefined;
  /** Bedrock API keys, tried in order. Empty: the credentials sign the requests. */
  readonly apiKeys: readonly string[];
  readonly credentials?: AwsCredentials | undefined;
  /** Whether the credentials may be meant for other programs. Default false. */
  readonly isGuessed?: boolean | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Its models, if the settings list them; undefined: requested from AWS. */
  readonly models?: readonly ProviderModel[] | undefined;
  /** Accepts any model name, such as ARNs of inference profiles. Default false. */
  readonly acceptsAnyModel?: boolean | undefined;
  /** Share of first attempts among the providers of one model. Default 1. */
  readonly weight?: number | undefined;
  readonly timeouts?: Partial<ProviderTimeouts> | undefined;
}

/** Credentials that sign requests (Signature Version 4). */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Only temporary credentials have one. */
  readonly sessionToken?: string;
}

/** Returns all values that must not appear in messages and logs. */
export function listBedrockSecrets({ apiKeys, credentials }: BedrockConfig): readonly string[] {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials ?? {};
  return [...apiKeys, accessKeyId, secretAccessKey, sessionToken].filter((secret) => secret !== undefined);
}

/** Returns the base URL of a service: `bedrock-runtime` answers, `bedrock` lists models. */
export function toServiceUrl({ region, baseUrl }: BedrockConfig, service: 'bedrock-runtime' | 'bedrock'): string {
  const runtimeUrl = baseUrl ?? `https://bedrock-runtime.${region}.amazonaws.com`;
  return service === 'bedrock' ? runtimeUrl.replace('//bedrock-runtime', '//bedrock') : runtimeUrl;
}
