import { z } from 'zod';
import type { AwsCredentials, BedrockConfig } from '../bedrock/bedrock-config.ts';
import { expand, type Reading, splitKeys } from './expand-variables.ts';

const text = z.string().trim().min(1, 'must not be empty');

/** Fields of an entry of a providers file that only Amazon Bedrock has. */
export const bedrockFields = {
  region: text.optional(),
  credentials: z
    .strictObject({ access_key_id: text, secret_access_key: text, session_token: text.optional() })
    .optional(),
};

interface BedrockEntry {
  readonly region?: string | undefined;
  readonly credentials?: z.infer<typeof bedrockFields.credentials>;
}

/** Fields that entries of other types have as well. */
type CommonFields = Omit<BedrockConfig, 'kind' | 'region' | 'credentials'>;

/** Converts an entry. Unset fields are read from AWS's usual variables. */
export function toBedrockConfig(entry: BedrockEntry, common: CommonFields, reading: Reading): BedrockConfig {
  const { variables, report } = reading;
  const region = entry.region === undefined ? variables('AWS_REGION') : expand(entry.region, '.region', reading);
  if (!region) report('.region: is missing, and the variable AWS_REGION is not set');
  const hasOwnAccess = common.apiKeys.length > 0 || entry.credentials !== undefined;
  const apiKeys = hasOwnAccess ? common.apiKeys : splitKeys(variables('AWS_BEARER_TOKEN_BEDROCK') ?? '');
  const credentials = hasOwnAccess ? readCredentials(entry, reading) : findCredentials(variables);
  if (apiKeys.length === 0 && !credentials)
    report(
      '.api_keys: is missing; credentials, AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY would do as well',
    );
  return {
    ...common,
    kind: 'bedrock',
    baseUrl: common.baseUrl || undefined,
    region: region ?? '',
    apiKeys,
    credentials,
  };
}

function readCredentials({ credentials }: BedrockEntry, reading: Reading): AwsCredentials | undefined {
  if (!credentials) return undefined;
  const { access_key_id: id, secret_access_key: secret, session_token: token } = credentials;
  return {
    accessKeyId: expand(id, '.credentials.access_key_id', reading),
    secretAccessKey: expand(secret, '.credentials.secret_access_key', reading),
    ...(token !== undefined && { sessionToken: expand(token, '.credentials.session_token', reading) }),
  };
}

function findCredentials(variables: Reading['variables']): AwsCredentials | undefined {
  const accessKeyId = variables('AWS_ACCESS_KEY_ID')?.trim();
  const secretAccessKey = variables('AWS_SECRET_ACCESS_KEY')?.trim();
  const sessionToken = variables('AWS_SESSION_TOKEN')?.trim();
  return accessKeyId && secretAccessKey
    ? { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
    : undefined;
}
