import { isJsonObject } from '../../../../lib/json.ts';
import type { ChatModel } from '../../chat-model.ts';
import type { ChatRequest } from '../../chat-request.ts';
import type { Endpoint } from '../host/endpoint.ts';
import { toChatBody, toFallbackParameters } from './chat-body.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';
import { readChoices, readParts } from './read-chat.ts';
import { createTextModel, type TextProtocol } from './text-endpoint.ts';

const PROTOCOL: TextProtocol<ChatRequest> = {
  dialect: 'chat-completions',
  path: '/chat/completions',
  toBody: toChatBody,
  listOptionalParameters: toFallbackParameters,
  countChoices: ({ choiceCount = 1 }) => choiceCount,
  isChoice: ({ message }) => isJsonObject(message),
  readChoices,
  readParts,
};

/** Creates a chat model for one endpoint. */
export function createChat(deps: { readonly endpoint: Endpoint }, config: OpenAiCompatibleConfig): ChatModel {
  return { dialects: [PROTOCOL.dialect], ...createTextModel(deps, config, PROTOCOL) };
}
