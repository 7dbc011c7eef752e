import type { SharedV4Warning } from '@ai-sdk/provider';
import { UntranslatableError } from '../../../../protocols/untranslatable-error.ts';
import type { ChatRequest, OptionalSetting } from '../../contract/chat-request.ts';

/** Settings of the SDK that a package may leave out, by their names in chat completions. */
const PARAMS: Readonly<Record<string, string>> = {
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  seed: 'seed',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  stopSequences: 'stop',
  maxOutputTokens: 'max_tokens',
  reasoning: 'reasoning_effort',
  responseFormat: 'response_format',
  toolChoice: 'tool_choice',
  toolContent: 'messages',
};

const OPTIONAL: Readonly<Record<string, OptionalSetting>> = {
  temperature: 'temperature',
  maxOutputTokens: 'maxOutputTokens',
  reasoning: 'reasoningEffort',
};

/**
 * Refuses a request of which the package has left out a part that changes the answer. The warnings come with the
 * beginning of the answer.
 * @throws UntranslatableError
 */
export function refuseLosses(warnings: readonly SharedV4Warning[], { optional = [] }: ChatRequest): void {
  for (const warning of warnings) {
    if (warning.type !== 'unsupported') continue;
    const { feature, details } = warning;
    const setting = OPTIONAL[feature];
    if (setting && optional.includes(setting)) continue;
    const param = PARAMS[feature] ?? feature;
    throw new UntranslatableError(param, `'${param}' is not supported by this model${details ? `: ${details}` : ''}.`);
  }
}
