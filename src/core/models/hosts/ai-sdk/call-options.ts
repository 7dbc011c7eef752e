import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { JsonObject } from '../../../../lib/json/json.ts';
import { type Translate, translateExtraFields } from '../../../../protocols/extra-fields.ts';
import type { OptionalParameter } from '../../../../protocols/optional-parameter.ts';
import type {
  ChatRequest,
  OptionalSetting,
  ToolChoice,
  ToolDefinition,
  UnknownFields,
} from '../../contract/chat-request.ts';
import { UntranslatableError } from '../../contract/model-errors.ts';

/** Zero, the default, means the same as no setting. */
const amount =
  (option: 'frequencyPenalty' | 'presencePenalty' | 'topK'): Translate<CallOptions> =>
  (value) => {
    if (typeof value !== 'number') return undefined;
    return value === 0 ? {} : { [option]: value };
  };

type SdkOptions = Omit<LanguageModelV4CallOptions, 'prompt'>;

/** Options of the SDK for one request, without messages. */
export type CallOptions = { [Option in keyof SdkOptions]: SdkOptions[Option] | undefined };

/** A vendor whose models are reached through a package of the AI SDK. */
export interface SdkVendor {
  /** Key of the vendor's fields in `providerOptions` and `providerMetadata` of the SDK. */
  readonly metadataKey: string;
  /** Creates a model whose requests are sent with `fetch`. Loads the package at the first call. */
  createModel(modelId: string, fetch: typeof globalThis.fetch): Promise<LanguageModelV4>;
  /**
   * Rewrites what the package would drop, and refuses what the vendor can't do.
   * @throws UntranslatableError
   */
  prepare(request: ChatRequest): ChatRequest;
  /** Returns options for what the SDK's own options can't express. */
  toProviderOptions(request: ChatRequest): CallOptions['providerOptions'];
}

/** Settings that requests may mark as optional. `about` matches a refusal of the vendor. */
const OPTIONAL_SETTINGS: Readonly<
  Record<OptionalSetting, { readonly about: RegExp; readonly toOptions: (request: ChatRequest) => CallOptions }>
> = {
  temperature: { about: /temperature/i, toOptions: ({ sampling }) => ({ temperature: sampling?.temperature }) },
  maxOutputTokens: {
    about: /max_?tokens|maximum tokens/i,
    toOptions: ({ maxOutputTokens }) => ({ maxOutputTokens }),
  },
  reasoningEffort: { about: /reason|thinking|effort/i, toOptions: toReasoning },
};

const SETTING_NAMES: readonly OptionalSetting[] = ['temperature', 'maxOutputTokens', 'reasoningEffort'];

/**
 * Converts the settings of a request, without the optional ones.
 * @throws UntranslatableError
 */
export function toCallOptions(request: ChatRequest): CallOptions {
  const { tools = [], sampling = {}, choiceCount = 1, optional = [] } = request;
  if (choiceCount > 1) throw new UntranslatableError('n', 'must be 1 with this model');
  const required = SETTING_NAMES.filter((name) => !optional.includes(name));
  return {
    ...Object.assign({}, ...required.map((name) => OPTIONAL_SETTINGS[name].toOptions(request))),
    ...toExtraOptions(request.extraFields),
    topP: sampling.topP,
    seed: sampling.seed,
    stopSequences: sampling.stop && [...sampling.stop],
    responseFormat: toResponseFormat(request.responseFormat),
    ...(tools.length > 0 ? { tools: tools.map(toTool), toolChoice: toToolChoice(request.toolChoice) } : {}),
  };
}

/** Returns the optional settings, which are left out if the vendor refuses them. */
export function toOptionalParameters(request: ChatRequest): readonly OptionalParameter[] {
  return (request.optional ?? []).map((name) => {
    const { about, toOptions } = OPTIONAL_SETTINGS[name];
    // Models differ in the efforts that they know.
    const effort = name === 'reasoningEffort' ? ` ${request.reasoningEffort}` : '';
    return { name: `${name}${effort}`, about, ways: [toOptions(request) as JsonObject] };
  });
}

/** Efforts of the SDK by those of OpenAI. */
const EFFORTS: Readonly<Record<string, NonNullable<CallOptions['reasoning']>>> = {
  none: 'none',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'xhigh',
};

function toReasoning({ reasoningEffort: effort, optional }: ChatRequest): CallOptions {
  if (effort === undefined) return {};
  const reasoning = Object.hasOwn(EFFORTS, effort) ? EFFORTS[effort] : undefined;
  if (reasoning === undefined && !optional?.includes('reasoningEffort'))
    throw new UntranslatableError('reasoning_effort', `must be ${Object.keys(EFFORTS).join(', ')}`);
  return reasoning === undefined ? {} : { reasoning };
}

/** Strictness is not passed on: a package can't tell for every model whether it is kept. */
function toTool({ name, description, parameters }: ToolDefinition): NonNullable<CallOptions['tools']>[number] {
  return {
    type: 'function',
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema: { type: 'object', properties: {}, ...parameters },
  };
}

function toToolChoice(choice: ToolChoice = 'auto'): NonNullable<CallOptions['toolChoice']> {
  return typeof choice === 'object' ? { type: 'tool', toolName: choice.name } : { type: choice };
}

function toResponseFormat(format: ChatRequest['responseFormat']): CallOptions['responseFormat'] {
  if (format?.type !== 'json') return undefined;
  const { schema, name, description } = format;
  if (!schema)
    throw new UntranslatableError('response_format', 'needs a schema with this model: use the type json_schema');
  return { type: 'json', schema, ...(name && { name }), ...(description && { description }) };
}

/** Settings that the SDK has. Packages warn if their vendor does not. */
const SETTINGS: ReadonlyMap<string, Translate<CallOptions>> = new Map([
  ['frequency_penalty', amount('frequencyPenalty')],
  ['presence_penalty', amount('presencePenalty')],
  ['top_k', amount('topK')],
]);

/**
 * Converts the settings that the model interface does not name.
 * @throws UntranslatableError
 */
function toExtraOptions(fields: UnknownFields | undefined): CallOptions {
  return translateExtraFields(fields, SETTINGS);
}
