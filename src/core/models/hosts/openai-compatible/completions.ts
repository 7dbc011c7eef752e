import { readChoices, readParts } from '../../../../protocols/openai-media/completions-answer.ts';
import type { TextCompletionModel, TextCompletionRequest } from '../../contract/text-completion-model.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';
import { createTextModel, type TextProtocol } from './text-endpoint.ts';

const PROTOCOL: TextProtocol<TextCompletionRequest> = {
  dialect: 'completions',
  path: '/completions',
  toBody({ model, native }) {
    const { stream: _stream, stream_options: _streamOptions, ...body } = native.body;
    return { ...body, model };
  },
  listOptionalParameters: () => [],
  countChoices: ({ prompts, choiceCount }) => prompts.length * choiceCount,
  isChoice: ({ text }) => typeof text === 'string',
  readChoices,
  readParts,
};

/** Creates text completion models for OpenAI's legacy `/completions`, which most local servers have. */
export function createTextCompletions(
  deps: { readonly endpoint: Endpoint },
  config: OpenAiCompatibleConfig,
): TextCompletionModel {
  return createTextModel(deps, config, PROTOCOL);
}
