import { afterEach, describe, expect, it } from 'vitest';
import { toServiceUrl } from '../../../../../../src/core/models/hosts/bedrock/bedrock-config.ts';
import { ProviderUnavailableError } from '../../../../../../src/core/models/index.ts';
import { AWS, findSignatureFault } from '../../../../../support/hosts/fake-bedrock.ts';
import { answerJson } from '../../../../../support/hosts/fake-provider.ts';
import {
  failureOf,
  noAbort,
  type ProviderUnderTest,
  startBedrockUnderTest,
} from '../../../../../support/hosts/provider-under-test.ts';

let bedrock: ProviderUnderTest;
afterEach(() => bedrock.close());

const foundation = (modelId: string, fields: object = {}) => ({
  modelArn: `arn:aws:bedrock:us-east-1::foundation-model/${modelId}`,
  modelId,
  modelName: `Name of ${modelId}`,
  providerName: 'Vendor',
  inputModalities: ['TEXT'],
  outputModalities: ['TEXT'],
  responseStreamingSupported: true,
  inferenceTypesSupported: ['ON_DEMAND'],
  modelLifecycle: { status: 'ACTIVE' },
  ...fields,
});
const profile = (id: string, modelId: string, fields: object = {}) => ({
  inferenceProfileId: id,
  inferenceProfileName: `Profile ${id}`,
  status: 'ACTIVE',
  type: 'SYSTEM_DEFINED',
  models: [{ modelArn: `arn:aws:bedrock:us-east-1::foundation-model/${modelId}` }],
  ...fields,
});

async function startWithLists(modelSummaries: readonly object[], inferenceProfileSummaries: readonly object[]) {
  bedrock = await startBedrockUnderTest();
  bedrock.host.behaveElsewhere((exchange) =>
    answerJson(
      200,
      exchange.request.url.startsWith('/foundation-models') ? { modelSummaries } : { inferenceProfileSummaries },
    )(exchange),
  );
}

describe('the models of Bedrock', () => {
  it('are those on demand and those of inference profiles, with Nova in front', async () => {
    const inProfilesOnly = { inferenceTypesSupported: ['INFERENCE_PROFILE'], inputModalities: ['TEXT', 'IMAGE'] };
    await startWithLists(
      [
        foundation('anthropic.claude-sonnet-4-5-v1:0', inProfilesOnly),
        foundation('meta.llama3-8b-instruct-v1:0'),
        foundation('amazon.nova-lite-v1:0', { inputModalities: ['TEXT', 'IMAGE', 'VIDEO'] }),
        foundation('amazon.titan-text-lite-v1', { modelLifecycle: { status: 'LEGACY' } }),
        foundation('some.batch-model', { responseStreamingSupported: false }),
      ],
      [
        profile('us.anthropic.claude-sonnet-4-5-v1:0', 'anthropic.claude-sonnet-4-5-v1:0'),
        profile('us.unknown-model', 'unknown-model'),
        profile('eu.meta.llama3-8b-instruct-v1:0', 'meta.llama3-8b-instruct-v1:0', { status: 'CREATING' }),
      ],
    );
    const models = await bedrock.provider.listModels(noAbort());
    expect(models.map(({ id }) => id)).toEqual([
      'amazon.nova-lite-v1:0',
      'us.anthropic.claude-sonnet-4-5-v1:0',
      'meta.llama3-8b-instruct-v1:0',
    ]);
    expect(models[1]).toEqual({
      id: 'us.anthropic.claude-sonnet-4-5-v1:0',
      type: 'chat',
      ownedBy: 'Vendor',
      displayName: 'Profile us.anthropic.claude-sonnet-4-5-v1:0',
      acceptsImages: true,
    });
  });

  it('are requested with a signature', async () => {
    await startWithLists([], []);
    await bedrock.provider.listModels(noAbort());
    expect(bedrock.host.requests.map(({ url }) => url)).toEqual([
      '/foundation-models?byOutputModality=TEXT',
      '/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED',
    ]);
    expect(bedrock.host.requests.map(findSignatureFault)).toEqual([undefined, undefined]);
  });

  it('are requested with an API key', async () => {
    bedrock = await startBedrockUnderTest({ apiKeys: ['ABSK-key'] });
    bedrock.host.behaveElsewhere(answerJson(200, { modelSummaries: [], inferenceProfileSummaries: [] }));
    expect(await bedrock.provider.listModels(noAbort())).toEqual([]);
    for (const { headers } of bedrock.host.requests) expect(headers.authorization).toBe('Bearer ABSK-key');
  });

  it('are not requested if they are configured', async () => {
    bedrock = await startBedrockUnderTest({ models: [{ id: 'amazon.nova-pro-v1:0', type: 'chat' }] });
    expect(await bedrock.provider.listModels(noAbort())).toEqual([{ id: 'amazon.nova-pro-v1:0', type: 'chat' }]);
    expect(bedrock.host.requests).toEqual([]);
  });

  it('are unavailable if the answer is not a list', async () => {
    bedrock = await startBedrockUnderTest();
    bedrock.host.behaveElsewhere(answerJson(200, { message: 'hello' }));
    expect(await failureOf(bedrock.provider.listModels(noAbort()))).toBeInstanceOf(ProviderUnavailableError);
  });

  it('are listed by another host than the one that answers', async () => {
    await startWithLists([], []);
    const config = { kind: 'bedrock', name: 'bedrock', apiKeys: [], ...AWS } as const;
    expect(toServiceUrl(config, 'bedrock-runtime')).toBe('https://bedrock-runtime.us-east-1.amazonaws.com');
    expect(toServiceUrl(config, 'bedrock')).toBe('https://bedrock.us-east-1.amazonaws.com');
  });
});
